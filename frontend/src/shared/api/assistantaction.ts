// Tells requests that an action of the assistant on this window's page causes from those of the person.
// While such an action runs, the client refuses requests that change anything.

let running = 0;
const requests = new Set<Promise<unknown>>();

/** Reports whether what runs now may come from an action of the assistant. */
export const assistantIsActing = (): boolean => running > 0;

/** Runs an action of the assistant. Microtasks that it leaves behind still count as its own. */
export function actAsAssistant<T>(action: () => T): T {
  running++;
  try {
    return action();
  } finally {
    setTimeout(() => running--);
  }
}

/** Remembers a request that an action of the assistant began. */
export function trackRequest<T>(request: Promise<T>): Promise<T> {
  requests.add(request);
  const done = () => void requests.delete(request);
  request.then(done, done);
  return request;
}

/** Resolves when all tracked requests are answered, or after `timeout` milliseconds. */
export async function requestsSettled(timeout: number): Promise<void> {
  if (!requests.size) return;
  await Promise.race([Promise.allSettled(requests), new Promise((done) => setTimeout(done, timeout))]);
}
