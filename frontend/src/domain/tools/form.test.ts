import { describe, expect, it } from 'vitest';
import { argsOf, fieldsOf, readArgs } from './form';

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

describe('a form made from a schema', () => {
  it('asks what is required first and knows each kind', () => {
    expect(fieldsOf(schema).map((f) => [f.name, f.kind])).toEqual([
      ['url', 'text'],
      ['tags', 'json'],
      ['minutes', 'number'],
      ['kind', 'choice'],
      ['read', 'boolean'],
    ]);
  });
  it('turns what was typed into arguments and leaves out what was not', () => {
    const { args, errors } = argsOf(fieldsOf(schema), { url: 'x', tags: '["a"]', minutes: '4', read: 'true' });
    expect(errors).toEqual({});
    expect(args).toEqual({ url: 'x', tags: ['a'], minutes: 4, read: true });
  });
  it('says by field what to mend', () => {
    const { errors } = argsOf(fieldsOf(schema), { tags: '[', minutes: 'four' });
    expect(Object.keys(errors).sort()).toEqual(['minutes', 'tags', 'url']);
  });
  it('is empty for a schema that is none', () => {
    expect(fieldsOf(null)).toEqual([]);
    expect(fieldsOf({ type: 'object' })).toEqual([]);
  });
});

it('arguments written as JSON are an object or nothing', () => {
  expect(readArgs('{"a": [1]}')).toEqual({ a: [1] });
  for (const bad of ['', '[1]', 'null', '3', '{"a":', '"x"']) expect(readArgs(bad)).toBeNull();
});
