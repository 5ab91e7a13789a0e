import type { Caller } from '../../shared/api/types';
import type { CallView } from '../store/state';

export interface Filter {
  caller: Caller | '';
  status: CallView['status'] | '';
}

/** Consecutive calls of one turn or, outside turns, of one caller in one conversation. */
export interface TimelineGroup {
  key: string;
  calls: CallView[];
}

/** Filters calls, which must be sorted newest first, and groups them. */
export function timeline(calls: CallView[], filter: Filter): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  let of = '';
  for (const call of calls) {
    if (filter.caller && call.caller !== filter.caller) continue;
    if (filter.status && call.status !== filter.status) continue;
    const belongs = call.turn || `${call.caller} ${call.client} ${call.conversation}`;
    if (belongs !== of) groups.push({ key: call.id, calls: [] });
    of = belongs;
    groups.at(-1)?.calls.push(call);
  }
  return groups;
}
