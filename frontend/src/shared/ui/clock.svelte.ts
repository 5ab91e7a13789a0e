const STEP_MS = 100;

/** The current time in milliseconds, updated while `running` returns true. Call it while a component is set up. */
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
