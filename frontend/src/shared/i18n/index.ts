import { en } from './en';

/** The key of a message. */
export type MessageKey = keyof typeof en;

type Values = Record<string, string | number>;

/**
 * Returns the message of a key. `{name}` is replaced with the value of that name, and `{n|call|calls}` with the
 * singular or plural word for the number `n`.
 */
export function t(key: MessageKey, values: Values = {}): string {
  return en[key]
    .replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) =>
      Number(values[name]) === 1 ? one : many,
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
