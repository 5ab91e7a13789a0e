// The `panel.ts` of a built-in panel exports what the panel provides, so that links to it need no panel id.
const found = import.meta.glob<{ provides: string }>('./*/panel.ts', { eager: true });

/** Returns the id of the panel that provides `what`, such as "page"; "" when there is none. */
export function panelProviding(what: string): string {
  const path = Object.keys(found).find((key) => found[key]?.provides === what);
  return path?.split('/')[1] ?? '';
}
