// Distinguishes requests caused by an action of the assistant on this window's page from requests of the person.
// During such an action the client refuses most requests that change something.

let running = 0;
const requests = new Set<Promise<unknown>>();

/** Reports whether the current code may be running because of an action of the assistant. */
export const assistantIsActing = (): boolean => running > 0;

/** Runs an action of the assistant and returns its result. Microtasks that it queues count as part of the action. */
export function actAsAssistant<T>(action: () => T): T {
  running++;
  try {
    return action();
  } finally {
    setTimeout(() => running--);
  }
}

/** Adds a request that an action of the assistant has sent to those that `requestsSettled` waits for. */
export function trackRequest<T>(request: Promise<T>): Promise<T> {
  requests.add(request);
  const done = () => void requests.delete(request);
  request.then(done, done);
  return request;
}

/** Resolves when the requests tracked so far have succeeded or failed, or after `timeout` milliseconds. */
export async function requestsSettled(timeout: number): Promise<void> {
  if (!requests.size) return;
  await Promise.race([Promise.allSettled(requests), new Promise((done) => setTimeout(done, timeout))]);
}
