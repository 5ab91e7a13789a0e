import type { Grant } from '../../shared/api/types';

/** The grants that "Revoke all" revokes: rules only when nothing but rules is shown. */
export function revocableGrants(rows: Grant[], show: 'all' | Grant['scope']): Grant[] {
  return show === 'never' ? rows : rows.filter((grant) => grant.scope !== 'never');
}
