/** Moves the focus to the next or previous region (activity bar, stage, assistant, status). */
export function stepRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')];
  if (!regions.length) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const region = regions[at < 0 ? 0 : (at + by + regions.length) % regions.length];
  if (region) focusFirst(region);
}

/** Focuses what an event named: "assistant", "page", or the stage for a panel. */
export function focusSurface(surface: string): void {
  const named = document.querySelector<HTMLElement>(`[data-surface="${CSS.escape(surface)}"]`);
  (named ?? document.querySelector<HTMLElement>('[data-region="stage"]'))?.focus();
}

function focusFirst(region: HTMLElement): void {
  const first = region.querySelector<HTMLElement>(
    '[data-first], a[href], button:not([tabindex="-1"]), input, textarea, [tabindex="0"]',
  );
  (first ?? region).focus();
}
