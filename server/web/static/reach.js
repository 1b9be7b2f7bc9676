// Asks the server, again each second while it cannot be reached or says to ask later: neither a restart of the cornet nor
// a long log must break a page.

const AGAIN_MS = 1000;

export async function reach(path, how) {
  for (;;) {
    const answer = await whole(path, how).catch(() => null);
    // Pages that follow the machine are told by their stream; the others have a line for it.
    document.getElementById("silence")?.toggleAttribute("hidden", answer !== null);
    if (answer && !answer.later) return answer;
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}

// An answer that breaks off is none.
async function whole(path, how) {
  const answer = await fetch(path, how);
  const body = await answer.arrayBuffer();
  const later = answer.status === 503 && answer.headers.has("retry-after");
  return { ok: answer.ok, status: answer.status, later, body, json: async () => JSON.parse(new TextDecoder().decode(body)) };
}

// What ends a question that is not answered for so long.
export function within(patience_ms) {
  const late = new AbortController();
  setTimeout(() => late.abort(), patience_ms);
  return late.signal;
}

// Answers may come in another order than they were asked for. Called before each question, it gives what says
// after the answer whether nothing was asked since.
export function newest() {
  let asked = 0;
  return () => {
    const mine = ++asked;
    return () => mine === asked;
  };
}
