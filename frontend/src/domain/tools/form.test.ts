import { describe, expect, it } from 'vitest';
import { argsOf, fieldsOf, parseArgs } from './form';

const schema = {
  type: 'object',
  required: ['url'],
  properties: {
    tags: { type: 'array' },
    minutes: { type: ['integer', 'null'] },
    kind: { enum: ['a', 'b'] },
    read: { type: 'boolean' },
    url: { type: 'string' },
  },
};

describe('a form generated from a schema', () => {
  it('lists required fields first, each with its type', () => {
    expect(fieldsOf(schema).map((f) => [f.name, f.kind])).toEqual([
      ['url', 'text'],
      ['tags', 'json'],
      ['minutes', 'number'],
      ['kind', 'choice'],
      ['read', 'boolean'],
    ]);
  });
  it('converts input into arguments and omits empty fields', () => {
    const { args, errors } = argsOf(fieldsOf(schema), { url: 'x', tags: '["a"]', minutes: '4', read: 'true' });
    expect(errors).toEqual({});
    expect(args).toEqual({ url: 'x', tags: ['a'], minutes: 4, read: true });
  });
  it('reports an error for each invalid field', () => {
    const { errors } = argsOf(fieldsOf(schema), { tags: '[', minutes: 'four' });
    expect(Object.keys(errors).sort()).toEqual(['minutes', 'tags', 'url']);
  });
  it('has no fields without a schema', () => {
    expect(fieldsOf(null)).toEqual([]);
    expect(fieldsOf({ type: 'object' })).toEqual([]);
  });
});

it('accepts only a JSON object as arguments', () => {
  expect(parseArgs('{"a": [1]}')).toEqual({ a: [1] });
  for (const bad of ['', '[1]', 'null', '3', '{"a":', '"x"']) expect(parseArgs(bad)).toBeNull();
});
