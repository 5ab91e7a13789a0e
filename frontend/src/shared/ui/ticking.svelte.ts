const STEP_MS = 100;

/** The time in milliseconds, which moves on while `running` holds. Made in a component's setup. */
export function ticking(running: () => boolean): { readonly now: number } {
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
