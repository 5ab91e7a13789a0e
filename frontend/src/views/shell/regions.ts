/** Moves the focus to the next or previous region (activity bar, stage, assistant, status). */
export function stepRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')];
  if (!regions.length) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const region = regions[at < 0 ? 0 : (at + by + regions.length) % regions.length];
  if (region) focusFirst(region);
}

/** Focuses a surface by name ("assistant", "page"), or the stage if none has that name. */
export function focusSurface(surface: string): void {
  const named = document.querySelector<HTMLElement>(`[data-surface="${CSS.escape(surface)}"]`);
  (named ?? document.querySelector<HTMLElement>('[data-region="stage"]'))?.focus({ preventScroll: true });
}

/**
 * Reports whether a key belongs to the focused element and not to the window. Programs in a terminal need Esc, and
 * letters with Ctrl or Alt. F6 always belongs to the window.
 */
export function isElementKey(event: KeyboardEvent): boolean {
  if (!(event.target instanceof Element) || !event.target.closest('[data-keys="own"]')) return false;
  if (event.key === 'Escape') return true;
  return (event.ctrlKey || event.altKey) && !event.shiftKey && !event.metaKey && /^[a-z[\\]^_ ]$/i.test(event.key);
}

function focusFirst(region: HTMLElement): void {
  const first = region.querySelector<HTMLElement>(
    '[data-first], a[href], button:not([tabindex="-1"]), input, textarea, [tabindex="0"]',
  );
  (first ?? region).focus();
}
