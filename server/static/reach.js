// Asks the server, again each second while it cannot be reached: a restart of the cornet must not break a page.

const AGAIN_MS = 1000;

export async function reach(path, how) {
  for (;;) {
    try {
      return await fetch(path, how);
    } catch {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
