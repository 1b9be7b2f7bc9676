// The bartender's PIN.

import { ask, unknowable } from "./ask.js";
import { by } from "./dom.js";

by("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  by("answer").textContent = unknowable();
  if (unknowable()) return;
  const answer = await ask("POST", "/api/login", { pin: by("pin").value });
  by("answer").textContent = answer.error;
  if (answer.ok) location.reload();
  else by("pin").select();
});
