/** Splits a web address for the address bar. For any other text, `rest` is the whole text. */
export function splitAddress(url: string): { secure: boolean; host: string; rest: string } {
  try {
    const u = new URL(url);
    if (u.protocol !== 'http:' && u.protocol !== 'https:') return { secure: false, host: '', rest: url };
    const rest = u.pathname === '/' && !u.search && !u.hash ? '' : u.pathname + u.search + u.hash;
    return { secure: u.protocol === 'https:', host: u.host, rest };
  } catch {
    return { secure: false, host: '', rest: url };
  }
}

/** The search engines by the values of the setting `search_engine`: the name, and the address before the words. */
export const SEARCH_ENGINES: Record<string, [name: string, address: string]> = {
  duckduckgo: ['DuckDuckGo', 'https://duckduckgo.com/?q='],
  startpage: ['Startpage', 'https://www.startpage.com/do/search?query='],
  google: ['Google', 'https://www.google.com/search?q='],
  bing: ['Bing', 'https://www.bing.com/search?q='],
  ecosia: ['Ecosia', 'https://www.ecosia.org/search?q='],
  wikipedia: ['Wikipedia', 'https://en.wikipedia.org/w/index.php?search='],
};

/** Returns the address of a search for words. */
export function searchAddress(words: string, engine: string): string {
  return `${SEARCH_ENGINES[engine]?.[1]}${encodeURIComponent(words)}`;
}

/** Reports whether a typed text is an address, such as that of the demo shop, and not words to search for. */
export function isAddress(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^(about|data|blob):/i.test(text)) return true;
  return (
    !/\s/.test(text) && /^(demo|localhost|\[[0-9a-f:]+\]|[^/?#:.\s]+(\.[^/?#:.\s]+)+\.?)(:\d+)?([/?#]|$)/i.test(text)
  );
}

/**
 * Completes a typed address, or returns the address of a search for other words. Local and test names get http here; the
 * program adds any other missing scheme.
 */
export function toAddress(text: string, engine: string): string {
  const typed = text.trim();
  if (!isAddress(typed)) return searchAddress(typed, engine);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) || /^(about|data|blob):/i.test(typed)) return typed;
  const plain = /^(localhost|127\.[\d.]+|\[::1\]|[^/:]+\.(test|localhost))([:/]|$)/i.test(typed);
  return plain ? `http://${typed}` : typed;
}

/** Returns the host of a web address, "" for any other text. */
export function hostOf(url: string): string {
  return splitAddress(url).host;
}

/** Shortens a text to `max` characters by cutting its middle: "/home/…/notes.md". */
export function cutMiddle(text: string, max: number): string {
  const letters = [...text];
  if (letters.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  return letters.slice(0, head).join('') + '…' + letters.slice(letters.length - (max - 1 - head)).join('');
}

/** Returns the label of a source of outside text: "shop.example" for "https://shop.example". */
export function sourceLabel(source: string): string {
  return hostOf(source) || source;
}
