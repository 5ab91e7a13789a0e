import type { BatchRow, ListedBatch } from '../shared/api/types';

const needs = { tools: ['navigate_page', 'type_text'], hosts: ['demo.sextant.test'], acts: 2 };

/** A batch of the demo shop's recipe. */
export const batches: ListedBatch[] = [
  {
    batch: {
      id: 'b_1',
      name: 'suppliers',
      recipe: 'find-lamp',
      columns: ['Lamp'],
      parameters: { lamp: 0 },
      outputs: ['price'],
      browsers: 4,
      needs,
      card: needs,
      digest: 'd',
      state: 'running',
      created: '2026-09-20T06:00:00Z',
    },
    counts: { done: 1, running: 1, failed: 1, queued: 1 },
  },
];

/** Its rows. */
export const batchRows: BatchRow[] = [
  { number: 1, cells: ['Moor'], status: 'done', results: { price: '129 €' }, tries: 1 },
  { number: 2, cells: ['Fen'], status: 'running', tries: 1 },
  { number: 3, cells: ['Tarn'], status: 'failed', reason: 'The page does not have button “Search”.', tries: 1 },
  { number: 4, cells: ['Oak'], status: 'queued' },
];
