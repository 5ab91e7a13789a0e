// KaTeX is large, so it is loaded with the first formula.
type Katex = typeof import('katex').default;

let katex = $state.raw<Katex | null>(null);
let requested = false;

const OPTIONS = { output: 'htmlAndMathml', strict: 'ignore', trust: false, maxSize: 20, maxExpand: 200 } as const;
const HTML_MAX = 200_000;
const CACHE_MAX = 500;
const cache = new Map<string, string>();

/** Renders a formula as HTML, which must be sanitized. Returns "" while KaTeX is loading and for invalid formulas. */
export function renderMath(tex: string, display: boolean): string {
  if (!katex) {
    load();
    return '';
  }
  const key = `${display ? 'd' : 'i'}${tex}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  let html = '';
  try {
    html = katex.renderToString(tex, { ...OPTIONS, displayMode: display });
  } catch {
    // An invalid formula is shown as it was written.
  }
  if (html.length > HTML_MAX) html = '';
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(key, html);
  return html;
}

function load() {
  if (requested) return;
  requested = true;
  Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(
    ([loaded]) => (katex = loaded.default),
    () => (requested = false),
  );
}
