// What a built-in panel shows, from the `panel.ts` in its folder, so that others can send a
// person there without knowing its id.
const found = import.meta.glob<{ provides: string }>('./*/panel.ts', { eager: true });

/** The id of the panel that provides something ("page"), "" when there is none. */
export function panelProviding(what: string): string {
  const path = Object.keys(found).find((key) => found[key]?.provides === what);
  return path?.split('/')[1] ?? '';
}
