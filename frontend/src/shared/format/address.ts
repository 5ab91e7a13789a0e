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
