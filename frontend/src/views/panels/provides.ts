// Each built-in panel's `panel.ts` says what it provides, so that links to it need no panel id.
const found = import.meta.glob<{ provides: string }>('./*/panel.ts', { eager: true });

/** The id of the panel that provides something ("page"), "" when there is none. */
export function panelProviding(what: string): string {
  const path = Object.keys(found).find((key) => found[key]?.provides === what);
  return path?.split('/')[1] ?? '';
}
