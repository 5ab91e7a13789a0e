const STEP_MS = 100;

/**
 * Returns the current time in milliseconds, updated every 100 ms while `running` returns true. Call it during the
 * initialization of a component.
 */
export function startClock(running: () => boolean): { readonly now: number } {
  let now = $state(Date.now());
  $effect(() => {
    if (!running()) return;
    const timer = setInterval(() => (now = Date.now()), STEP_MS);
    return () => clearInterval(timer);
  });
  return {
    get now() {
      return now;
    },
  };
}
