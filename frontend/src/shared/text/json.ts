/** A part of formatted JSON, and the kind of its token: "number" also for true, false and null, "" for punctuation. */
export interface JsonPart {
  kind: 'key' | 'string' | 'number' | '';
  text: string;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

/** Formats a value as JSON (a string stays as it is), cut to `max` characters, and splits it for syntax colors. */
export function tokenizeJson(value: unknown, max = 20_000): JsonPart[] {
  let text = pretty(value);
  if (text.length > max) text = text.slice(0, max) + '…';
  const parts: JsonPart[] = [];
  let from = 0;
  for (const m of text.matchAll(TOKEN)) {
    if (m.index > from) parts.push({ kind: '', text: text.slice(from, m.index) });
    if (m[1]) {
      parts.push({ kind: m[2] ? 'key' : 'string', text: m[1] });
      if (m[2]) parts.push({ kind: '', text: m[2] });
    } else parts.push({ kind: 'number', text: m[0] });
    from = m.index + m[0].length;
  }
  if (from < text.length) parts.push({ kind: '', text: text.slice(from) });
  return parts;
}

/** Formats a value as indented JSON. A string stays as it is. */
function pretty(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 2) ?? '';
}
