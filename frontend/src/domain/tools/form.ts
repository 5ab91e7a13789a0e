import type { Json } from '../../shared/api/types';
import { t } from '../../shared/i18n';

/** A field of a form that is generated from a tool's JSON schema. */
export interface ToolField {
  name: string;
  /** The name as words: "Due date" for due_date. */
  label: string;
  description: string;
  required: boolean;
  /** Whether the field masks its input. */
  secret?: boolean;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  options: string[];
  example: string;
  fallback: string;
}

interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Returns the fields of a schema's top-level object, required ones first. */
export function fieldsOf(parameters: unknown): ToolField[] {
  const schema = (parameters ?? {}) as Schema;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]): ToolField => {
    const type = Array.isArray(part.type) ? part.type.find((one) => one !== 'null') : part.type;
    return {
      name,
      label: part.title || labelOf(name),
      description: part.description ?? '',
      required: required.has(name),
      kind: kindOf(type, part),
      options: (part.enum ?? []).map((option) => String(option)),
      example: show(part.examples?.[0]),
      fallback: show(part.default),
    };
  });
  return fields.sort((a, b) => Number(b.required) - Number(a.required));
}

function labelOf(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function kindOf(type: string | undefined, part: Schema): ToolField['kind'] {
  if (part.enum?.length) return 'choice';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array' || type === 'object') return 'json';
  return 'text';
}

const show = (value: unknown) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

/** Converts typed values into arguments, without empty optional ones. `errors` has a message for each invalid field. */
export function argsOf(
  fields: ToolField[],
  typed: Record<string, string>,
): { args: Record<string, unknown>; errors: Record<string, string> } {
  const args: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (text === '') {
      if (field.required && field.kind !== 'boolean') errors[field.name] = t('panel.bad.required');
      else if (field.required) args[field.name] = false;
      continue;
    }
    if (field.kind === 'number') {
      const number = Number(text);
      if (Number.isFinite(number)) args[field.name] = number;
      else errors[field.name] = t('panel.bad.number');
    } else if (field.kind === 'boolean') args[field.name] = text === 'true';
    else if (field.kind === 'json') {
      try {
        args[field.name] = JSON.parse(text) as unknown;
      } catch (error) {
        errors[field.name] = t('panel.bad.json', { reason: error instanceof Error ? error.message : '' });
      }
    } else args[field.name] = text;
  }
  return { args, errors };
}

/** Parses arguments written as a JSON object. Returns null for anything else. */
export function parseArgs(text: string): Record<string, Json> | null {
  try {
    const value = JSON.parse(text) as Json;
    return value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, Json>) : null;
  } catch {
    return null;
  }
}
