import { expect, test } from 'vitest';
import type { Grant } from '../../shared/api/types';
import { revocableGrants } from './revocable';

const rows = [
  { id: 'a', scope: 'always' },
  { id: 'n', scope: 'never' },
  { id: 'c', scope: 'conversation' },
] as Grant[];

test('revoking all skips deny rules unless only rules are shown', () => {
  expect(revocableGrants(rows, 'all').map((grant) => grant.id)).toEqual(['a', 'c']);
  expect(revocableGrants([rows[1]!], 'never').map((grant) => grant.id)).toEqual(['n']);
});
