// Whether a hand of the assistant is pressing something in this window right now. What the window
// asks the program for meanwhile would look like the person's, so the backend refuses it.

let hands = 0;
const begun = new Set<Promise<unknown>>();

/** Whether something that runs now may come from a press of the assistant's. */
export const acting = (): boolean => hands > 0;

/** Runs a deed of the assistant's on a page of ours. What it leaves for the next moment counts as its own, too. */
export function during<T>(deed: () => T): T {
  hands++;
  try {
    return deed();
  } finally {
    setTimeout(() => hands--);
  }
}

/** Notes a request that such a deed began. */
export function follow<T>(request: Promise<T>): Promise<T> {
  begun.add(request);
  const done = () => void begun.delete(request);
  request.then(done, done);
  return request;
}

/** Resolves when the requests that deeds began are answered, or after `most` milliseconds. */
export async function answered(most: number): Promise<void> {
  if (!begun.size) return;
  await Promise.race([Promise.allSettled(begun), new Promise((done) => setTimeout(done, most))]);
}
