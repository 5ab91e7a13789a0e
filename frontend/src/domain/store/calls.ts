import type { Approval, CallChunk, CallEnd, CallRow, CallStart, StoredEvent } from '../../shared/api/types';
import type { AppState, CallView } from './state';

/** Characters of live output a card keeps; the whole is in the result. */
export const OUTPUT_MAX = 32_768;

function blank(id: string, event: StoredEvent): CallView {
  return {
    id,
    tool: '',
    args: {},
    origin: 'baseline',
    owner: '',
    caller: 'person',
    client: '',
    conversation: event.conversation ?? '',
    turn: event.turn ?? '',
    sentence: '',
    status: 'running',
    started: event.time,
    timeoutMs: 0,
    looks: false,
    durationMs: 0,
    live: '',
    share: null,
    preview: [],
    error: '',
    errorType: '',
    suggestion: '',
    reason: '',
    decision: '',
    sources: [],
    output: '',
    images: [],
    changed: [],
    within: '',
    inner: '',
    undoable: false,
    app: '',
    answer: '',
    kept: null,
  };
}

/** Applies a call's event; false when the event is about something else. */
export function reduceCall(state: AppState, event: StoredEvent): boolean {
  const id = event.call;
  if (!id) return false;
  const call = state.calls[id];
  switch (event.kind) {
    case 'call.started': {
      const d = event.data as CallStart;
      state.calls[id] = {
        ...(call ?? blank(id, event)),
        tool: d.tool,
        args: d.args,
        origin: d.origin,
        owner: d.owner ?? '',
        sentence: d.sentence,
        caller: d.caller,
        client: d.client ?? '',
        timeoutMs: d.timeout_ms,
        looks: d.looks ?? false,
        app: d.app ?? '',
        within: d.within ?? '',
        status: call && call.status !== 'queued' ? call.status : 'running',
        started: event.time,
      };
      join(state, id, d.within);
      return true;
    }
    case 'call.output':
      if (!call || call.status !== 'running') return true;
      hear(call, event.data as CallChunk);
      return true;
    case 'call.ended':
      end((state.calls[id] ??= blank(id, event)), event.data as CallEnd);
      return true;
    case 'approval.asked': {
      const asked = event.data as Approval;
      state.calls[id] ??= { ...blank(id, event), tool: asked.tool, args: asked.args, sentence: asked.does };
      state.calls[id].within = asked.within ?? '';
      join(state, id, asked.within);
      return true;
    }
  }
  return false;
}

/** Lines of progress that begin with a percentage: the newest stands for those right before it. */
const OVERTAKEN = /(^|\n)(?:\d{1,3}% [^\n]*\n)+(?=\d{1,3}% )/;
const SHARE = /(?:^|\n)(\d{1,3})% [^\n]*\n?$/;

function hear(call: CallView, chunk: CallChunk): void {
  call.live = (call.live + chunk.text).slice(-OUTPUT_MAX);
  if (chunk.stream !== 'progress') return;
  call.live = call.live.replace(OVERTAKEN, '$1');
  const share = SHARE.exec(call.live)?.[1];
  if (share) call.share = Math.min(100, Number(share));
}

/** Lets a call know which one does its work. */
function join(state: AppState, id: string, within = ''): void {
  const outer = state.calls[within];
  if (outer) outer.inner = id;
}

function end(call: CallView, d: CallEnd): void {
  call.tool = d.tool || call.tool;
  call.status = d.status;
  call.durationMs = d.duration_ms;
  call.sentence = d.sentence || call.sentence;
  call.preview = d.preview ?? [];
  call.error = d.error ?? '';
  call.errorType = d.error_type ?? '';
  call.suggestion = d.suggestion ?? '';
  call.reason = d.reason ?? '';
  call.sources = d.sources ?? [];
  call.output = d.output ?? '';
  call.images = d.images ?? [];
  call.changed = d.changed ?? [];
  call.undoable = Boolean(d.undoable);
  call.answer = d.app ?? '';
  call.kept = d.kept ?? null;
}

const ENDS = ['done', 'failed', 'declined', 'refused', 'stopped', 'interrupted'] as const;

/** A call as the audit log tells it, with what was heard live kept. */
export function callFromRow(row: CallRow, known?: CallView): CallView {
  const view: CallView = known ?? blank(row.id, { seq: 0, kind: '', time: row.started, data: null });
  return {
    ...view,
    tool: row.tool,
    args: row.args,
    origin: row.origin,
    caller: row.caller,
    client: row.client ?? '',
    conversation: row.conversation ?? view.conversation,
    turn: row.turn ?? view.turn,
    sentence: row.sentence,
    status: ENDS.find((s) => s === row.status) ?? 'running',
    started: row.started,
    durationMs: row.duration_ms,
    preview: row.preview ?? [],
    error: row.error ?? '',
    errorType: row.error_type ?? '',
    suggestion: row.suggestion ?? '',
    reason: row.reason ?? '',
    decision: row.decision,
    sources: row.sources ?? [],
    output: row.output ?? '',
    changed: row.changed ?? [],
    undoable: Boolean(row.undoable),
    kept: row.kept ?? null,
  };
}
