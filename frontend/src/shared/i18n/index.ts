import { en } from './en';

/** Every string of the window has a key in the catalogue. */
export type MessageKey = keyof typeof en;

type Values = Record<string, string | number>;

/**
 * The message of a key with its values filled in: `{name}` is replaced by the value, and
 * `{n|call|calls}` by the word that fits the number n.
 */
export function t(key: MessageKey, values: Values = {}): string {
  return en[key]
    .replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) =>
      Number(values[name]) === 1 ? one : many,
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
