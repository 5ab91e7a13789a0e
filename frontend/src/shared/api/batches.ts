import { bodyOf, awaitSuccess, type Client } from './client';
import type { BatchDraft, BatchRow, PermissionCard } from './types';

/** The statuses of rows that can run again. */
export type RetriedStatus = Exclude<BatchRow['status'], 'queued' | 'running'>;

/** Creates the requests for batches: recipes that run for each row of a table. */
export function createBatchesApi(client: Client) {
  const path = '/api/batches/{id}';
  const byId = (id: string) => ({ params: { path: { id } } });
  return {
    list: async () => (await bodyOf(client.GET('/api/batches'))).batches,
    add: (body: BatchDraft) => bodyOf(client.POST('/api/batches', { body })),
    /** Returns at most 200 rows after the one with the number `after`; only those of a status, if it is not "". */
    rows: async (id: string, after: number, status: '' | BatchRow['status']) =>
      (await bodyOf(client.GET(`${path}/rows`, { params: { path: { id }, query: { after, status } } }))).rows,
    /** Returns the table with its results. */
    table: (id: string): Promise<Blob> => bodyOf(client.GET(`${path}/table`, { ...byId(id), parseAs: 'blob' })),
    /** Returns a picture of the page on which a row works. */
    picture: (id: string, row: number): Promise<Blob> =>
      bodyOf(client.GET(`${path}/rows/{row}/picture`, { params: { path: { id, row } }, parseAs: 'blob' })),
    /** Allows what the rows need and starts. `digest` is that of the batch that the person saw. */
    sign: (id: string, digest: string, card: PermissionCard) =>
      awaitSuccess(client.POST(`${path}/sign`, { ...byId(id), body: { digest, card } })),
    start: (id: string) => awaitSuccess(client.POST(`${path}/start`, byId(id))),
    stop: (id: string) => awaitSuccess(client.POST(`${path}/stop`, byId(id))),
    /**
     * Lets rows run again: one, or with 0 all with one of the statuses. Returns how many of them had acted; then none runs
     * unless `acted` is set.
     */
    retry: async (id: string, row: number, statuses: RetriedStatus[], acted: boolean) =>
      (await bodyOf(client.POST(`${path}/retry`, { ...byId(id), body: { row, statuses, acted } }))).acted,
    /** Makes a row wait before its next step. Returns the session that the live view can show. */
    takeOver: async (id: string, row: number) =>
      (await bodyOf(client.POST(`${path}/rows/{row}/take-over`, { params: { path: { id, row } } }))).session,
    giveBack: (id: string, row: number) =>
      awaitSuccess(client.POST(`${path}/rows/{row}/give-back`, { params: { path: { id, row } } })),
    remove: (id: string) => awaitSuccess(client.DELETE(path, byId(id))),
  };
}
