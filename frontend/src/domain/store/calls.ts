import type { CallEnd, CallRow, EventOf, StoredEvent } from '../../shared/api/types';
import type { AppState, CallView } from './state';

/** The most characters of live output that are kept. */
const OUTPUT_MAX = 32_768;

type CallPlace = Pick<StoredEvent, 'time' | 'conversation' | 'turn'>;

function newCall(id: string, place: CallPlace): CallView {
  return {
    id,
    tool: '',
    args: {},
    origin: 'baseline',
    owner: '',
    caller: 'person',
    client: '',
    conversation: place.conversation ?? '',
    turn: place.turn ?? '',
    sentence: '',
    status: 'running',
    started: place.time,
    timeoutMs: 0,
    readOnly: false,
    purpose: '',
    still: false,
    durationMs: 0,
    liveOutput: '',
    progress: null,
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
    outerCall: '',
    innerCall: '',
    undoable: false,
    app: '',
    answerBlob: '',
    storedResult: null,
  };
}

/** Applies an event about a call. Other events are ignored. */
export function reduceCall(state: AppState, event: StoredEvent): void {
  const id = event.call;
  if (!id) return;
  const call = state.calls[id];
  switch (event.kind) {
    case 'call.started': {
      const { data } = event;
      state.calls[id] = {
        ...(call ?? newCall(id, event)),
        tool: data.tool,
        args: data.args,
        origin: data.origin,
        owner: data.owner ?? '',
        sentence: data.sentence,
        caller: data.caller,
        client: data.client ?? '',
        timeoutMs: data.timeout_ms,
        readOnly: data.looks ?? false,
        purpose: data.purpose ?? '',
        still: data.still ?? false,
        app: data.app ?? '',
        outerCall: data.within ?? '',
        status: call && call.status !== 'queued' ? call.status : 'running',
        started: event.time,
      };
      linkOuter(state, id, data.within);
      break;
    }
    case 'call.output':
      if (call?.status === 'running') addOutput(call, event.data);
      break;
    case 'call.ended':
      endCall((state.calls[id] ??= newCall(id, event)), event.data);
      break;
    case 'approval.asked': {
      const { data } = event;
      state.calls[id] ??= { ...newCall(id, event), tool: data.tool, args: data.args, sentence: data.does };
      state.calls[id].outerCall = data.within ?? '';
      linkOuter(state, id, data.within);
    }
  }
}

/** Progress lines that begin with a percentage. The newest such line replaces those directly before it. */
const OLD_PROGRESS = /(^|\n)(?:\d{1,3}% [^\n]*\n)+(?=\d{1,3}% )/;
const PERCENT = /(?:^|\n)(\d{1,3})% [^\n]*\n?$/;

function addOutput(call: CallView, chunk: EventOf<'call.output'>['data']): void {
  call.liveOutput = (call.liveOutput + chunk.text).slice(-OUTPUT_MAX);
  if (chunk.stream !== 'progress') return;
  call.liveOutput = call.liveOutput.replace(OLD_PROGRESS, '$1');
  const percent = PERCENT.exec(call.liveOutput)?.[1];
  if (percent) call.progress = Math.min(100, Number(percent));
}

function linkOuter(state: AppState, id: string, within = ''): void {
  const outer = state.calls[within];
  if (outer) outer.innerCall = id;
}

function endCall(call: CallView, end: CallEnd): void {
  call.tool = end.tool || call.tool;
  call.status = end.status;
  call.durationMs = end.duration_ms;
  call.args = end.edited ?? call.args;
  call.sentence = end.sentence || call.sentence;
  call.preview = end.preview ?? [];
  call.error = end.error ?? '';
  call.errorType = end.error_type ?? '';
  call.suggestion = end.suggestion ?? '';
  call.reason = end.reason ?? '';
  call.sources = end.sources ?? [];
  call.output = end.output ?? '';
  call.images = end.images ?? [];
  call.changed = end.changed ?? [];
  call.undoable = Boolean(end.undoable);
  call.answerBlob = end.app ?? '';
  call.storedResult = end.kept ?? null;
}

const ENDED = ['done', 'failed', 'declined', 'refused', 'stopped', 'interrupted'] as const;

/** Returns the call of a row of the audit log. Fields that the row lacks are copied from `known`. */
export function callFromRow(row: CallRow, known?: CallView): CallView {
  const view = known ?? newCall(row.id, { time: row.started });
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
    status: ENDED.find((status) => status === row.status) ?? 'running',
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
    storedResult: row.kept ?? null,
  };
}
