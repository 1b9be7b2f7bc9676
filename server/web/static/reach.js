// Asks the server, again each second while it cannot be reached: a restart of the cornet must not break a page.

const AGAIN_MS = 1000;

export async function reach(path, how) {
  for (;;) {
    try {
      const answer = await fetch(path, how);
      // An answer that breaks off is none.
      const body = await answer.blob();
      return { ok: answer.ok, status: answer.status, body, json: async () => JSON.parse(await body.text()) };
    } catch {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
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
