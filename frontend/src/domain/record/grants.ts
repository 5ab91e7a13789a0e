import type { Grant } from '../../shared/api/types';

/** Of the grants in a list, those that one press revokes: rules only when nothing but rules is shown. */
export function revocable(rows: Grant[], show: 'all' | Grant['scope']): Grant[] {
  return show === 'never' ? rows : rows.filter((grant) => grant.scope !== 'never');
}
