import { expect, it } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { CreatedTool, Grant } from '../../shared/api/types';
import { Actions } from '../actions';
import { Store } from '../store/store.svelte';
import { Toasts } from '../toasts.svelte';
import { Records } from './records.svelte';

/** Records whose reads are answered when the test says so. */
function slowly<T>(changed: Partial<Backend>) {
  const answers: ((list: T[]) => void)[] = [];
  const read = () => new Promise<T[]>((resolve) => answers.push(resolve));
  const backend = { grants: read, created: read, ...changed } as unknown as Backend;
  return { answers, records: new Records(new Actions(backend, new Store(), new Toasts())) };
}

it('a list that was asked for before a grant was taken back does not bring it back', async () => {
  const grant = { id: 'g' } as Grant;
  const { answers, records } = slowly<Grant>({ revoke: async () => [] });
  const first = records.readGrants();
  answers[0]!([grant]);
  await first;
  const second = records.readGrants();
  expect(await records.revoke(['g'])).toBe(true);
  answers[1]!([grant]);
  await second;
  expect(records.grants).toEqual([]);
});

it('of two questions the newer one’s answer stays, whichever comes first', async () => {
  const { answers, records } = slowly<Grant>({});
  const reads = [records.readGrants(), records.readGrants()];
  answers[1]!([{ id: 'new' } as Grant]);
  answers[0]!([]);
  await Promise.all(reads);
  expect(records.grants.map((grant) => grant.id)).toEqual(['new']);
});

it('a list that was asked for before a tool was deleted does not bring it back', async () => {
  const tool = { name: 'go_home' } as CreatedTool;
  const { answers, records } = slowly<CreatedTool>({ deleteTool: async () => [] });
  const read = records.readCreated();
  expect(await records.deleteTool(tool)).toBe(true);
  answers[0]!([tool]);
  await read;
  expect(records.created).toEqual([]);
  expect(records.createdLoaded).toBe(true);
});
