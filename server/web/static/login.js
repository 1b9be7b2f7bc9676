// The bartender's PIN.

import { ask, heard, unknowable } from "./ask.js";
import { by } from "./dom.js";

by("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  by("answer").textContent = unknowable();
  if (unknowable()) return;
  const answer = await heard(by("answer"), ask("POST", "/api/login", { pin: by("pin").value }));
  if (answer.ok) location.reload();
  else by("pin").select();
});
