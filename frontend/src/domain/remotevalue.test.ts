import { expect, it } from 'vitest';
import type { Backend } from '../shared/api/backend';
import type { CreatedTool, Grant } from '../shared/api/types';
import { Actions } from './actions';
import { Grants } from './grants/grants.svelte';
import { Store } from './store/store.svelte';
import { Toasts } from './toasts.svelte';
import { CreatedTools } from './tools/createdtools.svelte';

/** Returns actions whose reads are answered when the test calls `answers`, in any order. */
function slowActions<T>(changed: Partial<Backend>) {
  const answers: ((list: T[]) => void)[] = [];
  const read = () => new Promise<T[]>((resolve) => answers.push(resolve));
  const backend = { grants: read, created: read, ...changed } as unknown as Backend;
  return { answers, actions: new Actions(backend, new Store(), new Toasts()) };
}

it('drops a list of grants that was requested before a grant was revoked', async () => {
  const grant = { id: 'g' } as Grant;
  const { answers, actions } = slowActions<Grant>({ revoke: async () => [] });
  const grants = new Grants(actions);
  const first = grants.read();
  answers[0]!([grant]);
  await first;
  const second = grants.read();
  expect(await grants.revoke(['g'])).toBe(true);
  answers[1]!([grant]);
  await second;
  expect(grants.list).toEqual([]);
});

it('uses the answer to the newer of two reads, whichever comes first', async () => {
  const { answers, actions } = slowActions<Grant>({});
  const grants = new Grants(actions);
  const reads = [grants.read(), grants.read()];
  answers[1]!([{ id: 'new' } as Grant]);
  answers[0]!([]);
  await Promise.all(reads);
  expect(grants.list.map((grant) => grant.id)).toEqual(['new']);
});

it('drops a list of created tools that was requested before a tool was deleted', async () => {
  const tool = { name: 'go_home' } as CreatedTool;
  const { answers, actions } = slowActions<CreatedTool>({ deleteTool: async () => [] });
  const created = new CreatedTools(actions);
  const read = created.read();
  expect(await created.delete(tool)).toBe(true);
  answers[0]!([tool]);
  await read;
  expect(created.list).toEqual([]);
  expect(created.loaded).toBe(true);
});
