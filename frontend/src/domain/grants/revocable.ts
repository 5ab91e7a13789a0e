import type { Grant } from '../../shared/api/types';

/** Returns the grants that "Revoke all" revokes. Deny rules are among them only when just deny rules are shown. */
export function revocableGrants(rows: Grant[], show: 'all' | Grant['scope']): Grant[] {
  return show === 'never' ? rows : rows.filter((grant) => grant.scope !== 'never');
}
