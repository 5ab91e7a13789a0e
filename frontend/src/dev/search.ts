import type { SearchPage } from '../shared/api/types';
import { snapshot } from './scenario';

/** Plays a search: every conversation of the scenario has one hit. */
export function search(scenario: string, query: string): SearchPage {
  const hits = snapshot(scenario).conversations.map((c, i) => ({
    conversation: c.id,
    title: c.title,
    message: `m${i}`,
    seq: i + 1,
    shown: true,
    role: i % 2 ? ('assistant' as const) : ('user' as const),
    time: c.updated,
    snippet: [{ text: 'the ' }, { text: query, match: true }, { text: ' in the shop that was open yesterday' }],
  }));
  return { hits, indexing: scenario === 'slow' };
}
