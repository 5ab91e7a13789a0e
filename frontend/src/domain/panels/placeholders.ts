import { formatDate } from '../../shared/format/time';
import type { Json } from '../../shared/api/types';

// Placeholders of a declarative page: {name}, {a.b}, {when|date}. Values come from the panel's backend and are
// shown as plain text.

const PLACE = /\{([A-Za-z_][\w.]*)(?:\|([a-z]+))?\}/g;
const WHOLE = /^\{([A-Za-z_][\w.]*)\}$/;

/** Returns the value at a JSON pointer, or undefined. */
export function valueAt(value: Json, pointer: string): Json {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json>(member, value);
}

function member(value: Json, name: string): Json {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, Json>)[name];
}

/** Returns a field of a row. "a.b" names a nested field, and "value" the row itself if it is not an object. */
export function fieldOf(row: Json, name: string): Json {
  if (name === 'value' && (row === null || typeof row !== 'object')) return row;
  return name.split('.').reduce<Json>(member, row);
}

/** Replaces every placeholder with the row's value, or with nothing if the row has no such value. */
export function fillTemplate(template: string, row: Json): string {
  return template.replace(PLACE, (_, name: string, format?: string) => formatValue(fieldOf(row, name), format));
}

function formatValue(value: Json, format = ''): string {
  if (value === null || value === undefined) return '';
  if (format === 'number')
    return Number.isFinite(Number(value)) ? Number(value).toLocaleString('en-US') : String(value);
  if (format) return formatDate(String(value), format) || plain(value);
  return plain(value);
}

const plain = (value: Json) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Replaces the placeholders in arguments. A text that is only {name} keeps the type of its value. */
export function fillArgs(args: Record<string, Json> | undefined, row: Json): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(args ?? {}).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      const whole = WHOLE.exec(value);
      return [name, whole ? fieldOf(row, whole[1] ?? '') : fillTemplate(value, row)];
    }),
  );
}

/** Returns the rows of a list, table or chart; none if the value is not an array. */
export function rowsOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the key of a row for keyed each blocks. */
export function rowKey(row: Json, index: number): string {
  const id = fieldOf(row, 'id') ?? fieldOf(row, 'key');
  return typeof id === 'string' || typeof id === 'number' ? `id ${id} ${index}` : String(index);
}
