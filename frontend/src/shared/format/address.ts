/** Splits an address for the address bar; for anything else `rest` is the whole text. */
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

/** The host of an address, or "" when it has none. */
export function hostOf(url: string): string {
  return splitAddress(url).host;
}

/** Shortens a text in the middle: "/home/…/notes.md". */
export function cutMiddle(text: string, max: number): string {
  const letters = [...text];
  if (letters.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  return letters.slice(0, head).join('') + '…' + letters.slice(letters.length - (max - 1 - head)).join('');
}

/** The label of a source of outside text: "https://shop.example" becomes "shop.example". */
export function sourceLabel(source: string): string {
  return hostOf(source) || source;
}
