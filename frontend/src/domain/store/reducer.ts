import type {
  BrowserState,
  CallRow,
  Conversation,
  Marks,
  Model,
  Setting,
  Snapshot,
  StoredEvent,
  Transcript,
  Turn,
} from '../../shared/api/types';
import { callFromRow, reduceCall } from './calls';
import { emptyTranscript, type AppState, type TranscriptView } from './state';
import { addEvent, reduceTranscript } from './transcript';

/** A change of the state: an event of the program, or the answer to a request. */
export type StateChange =
  | { kind: 'event'; event: StoredEvent }
  | { kind: 'snapshot'; snapshot: Snapshot; again: boolean }
  | { kind: 'transcript'; transcript: Transcript; missed: StoredEvent[]; extend?: boolean }
  | { kind: 'calls'; rows: CallRow[] }
  | { kind: 'models'; models: Model[] }
  | { kind: 'setting'; setting: Setting }
  | { kind: 'conversation'; conversation: Conversation };

/** How many calls the activity list shows at most. */
const ACTIVITY_MAX = 1000;

/** Applies a change to the state in place. Nothing else writes the state. */
export function reduce(state: AppState, change: StateChange): void {
  switch (change.kind) {
    case 'event':
      reduceEvent(state, change.event);
      break;
    case 'snapshot':
      takeSnapshot(state, change.snapshot, change.again);
      break;
    case 'transcript':
      takeTranscript(state, change.transcript, change.missed, change.extend ?? false);
      break;
    case 'calls':
      takeCalls(state, change.rows);
      break;
    case 'models':
      state.models = change.models;
      break;
    case 'setting':
      putSetting(state, change.setting);
      break;
    case 'conversation':
      putConversation(state, change.conversation);
  }
}

/** Keeps the description of a setting, which only the snapshot contains. */
function putSetting(state: AppState, setting: Setting): void {
  state.settings[setting.key] = { about: state.settings[setting.key]?.about, ...setting };
}

function setActivePanel(state: AppState, panel: string): void {
  state.activePanel = panel;
  state.activeAt[panel] = ++state.activeRevision;
}

function takeSnapshot(state: AppState, snapshot: Snapshot, again: boolean): void {
  state.version = snapshot.version;
  state.workspace = snapshot.workspace;
  state.panelsFolder = snapshot.panels_folder;
  state.panels = (snapshot.panels ?? []).map(withTools);
  setActivePanel(state, snapshot.active_panel);
  state.activityBar = snapshot.activity_bar;
  state.browser = withTabs(snapshot.browser);
  state.marks = snapshot.marks ? withElements(snapshot.marks) : null;
  state.marksRevision++;
  state.approvals = snapshot.approvals ?? [];
  state.conversations = snapshot.conversations ?? [];
  state.servers = (snapshot.mcp ?? []).map(withTools);
  state.models = snapshot.models ?? [];
  state.banners = snapshot.banners ?? [];
  if (snapshot.disk) state.disk = snapshot.disk;
  state.settings = Object.fromEntries((snapshot.settings ?? []).map((s) => [s.key, s]));
  if (snapshot.mode && !state.settings.mode)
    state.settings.mode = { key: 'mode', value: snapshot.mode, source: 'default' };
  // After a reconnect the missed events still arrive, so `seq` must stay.
  if (!again) state.seq = snapshot.seq;
}

/** Shows a conversation, or extends the loaded part at its start or end. */
function takeTranscript(state: AppState, transcript: Transcript, missed: StoredEvent[], extend: boolean): void {
  const { conversation, events, seq, part } = transcript;
  putConversation(state, conversation);
  const loaded = emptyTranscript(conversation.id);
  if (part) {
    Object.assign(loaded, { from: part.from, until: part.until, branch: part.branch });
    loaded.earlierSources = part.earlier_sources ?? [];
    loaded.waiting = part.waiting ?? [];
    loaded.branches = (part.branches ?? []).map((branch) => ({ ...branch }));
  }
  const known = extend ? state.transcripts[conversation.id] : undefined;
  // Events change the copy in the state, because only that one is reactive.
  if (!known) state.transcripts[conversation.id] = loaded;
  const target = known ? loaded : state.transcripts[conversation.id]!;
  for (const event of events ?? []) {
    reduceCall(state, event);
    addEvent(state, target, event);
  }
  target.outdated = false; // the branches in the answer fit its items
  if (known) join(known, loaded);
  for (const event of missed) if (event.seq > seq) reduceTranscript(state, event);
}

/** Adds the items of `part`, which come before or after all items of `known`. */
function join(known: TranscriptView, part: TranscriptView): void {
  const { items, sources, turns, approvals } = part;
  if (part.from < known.from) {
    known.items = [...items, ...known.items];
    known.from = part.from;
    known.earlierSources = part.earlierSources;
  } else {
    known.items = [...known.items, ...items];
    known.until = part.until;
    known.turn = part.until ? known.turn : part.turn;
    known.place = part.place;
  }
  for (const key of part.known) known.known.add(key);
  known.sources = { ...sources, ...known.sources };
  known.turns = { ...turns, ...known.turns };
  known.approvals = { ...approvals, ...known.approvals };
}

function takeCalls(state: AppState, rows: CallRow[]): void {
  for (const row of rows) {
    const known = state.calls[row.id];
    if (!known || known.status === 'running' || known.status === 'queued')
      state.calls[row.id] = callFromRow(row, known);
    else known.decision = row.decision;
  }
  const ids = new Set([...state.activity, ...rows.map((row) => row.id)]);
  const started = (id: string) => state.calls[id]?.started ?? '';
  state.activity = [...ids].sort((a, b) => (started(a) < started(b) ? 1 : -1)).slice(0, ACTIVITY_MAX);
}

function reduceEvent(state: AppState, event: StoredEvent): void {
  if (event.seq > 0) {
    if (event.seq <= state.seq) return;
    state.seq = event.seq;
  }
  reduceCall(state, event);
  reduceTranscript(state, event);
  reduceRest(state, event);
}

function reduceRest(state: AppState, event: StoredEvent): void {
  switch (event.kind) {
    case 'call.started':
      if (event.call) {
        state.activity = [event.call, ...state.activity.filter((id) => id !== event.call)].slice(0, ACTIVITY_MAX);
      }
      break;
    case 'conversation.created':
    case 'conversation.updated':
      putConversation(state, event.data);
      break;
    case 'conversation.shared': {
      const { id, shared } = event.data;
      const known = state.conversations.find((c) => c.id === id);
      if (known) known.shared = shared;
      break;
    }
    case 'conversation.deleted':
      deleteConversation(state, event.data.id);
      break;
    case 'turn.started':
    case 'turn.ended':
      setStatus(state, event.conversation, event.data);
      break;
    case 'approval.asked':
      state.approvals = [...state.approvals.filter((a) => a.id !== event.data.id), event.data];
      break;
    case 'approval.answered':
      state.approvals = state.approvals.filter((a) => a.id !== event.data.id);
      break;
    case 'panel.opened':
      setActivePanel(state, event.data.panel);
      break;
    case 'panel.closed':
      if (state.activePanel === event.data.panel) setActivePanel(state, '');
      break;
    case 'panels.changed':
      state.panels = (event.data.panels ?? []).map(withTools);
      state.toolsRevision++;
      break;
    case 'catalogue.changed':
      state.toolsRevision++;
      break;
    case 'activitybar.changed':
      state.activityBar = event.data;
      break;
    case 'surface.focused':
      state.focus = { surface: event.data.surface, count: state.focus.count + 1 };
      break;
    case 'mcp.changed':
      state.servers = (event.data.servers ?? []).map(withTools);
      state.toolsRevision++;
      break;
    case 'mcp.told':
      state.serverUpdates = Object.fromEntries(
        (event.data.servers ?? []).map(({ name, lists, updates }) => [name, { lists, updates: updates ?? {} }]),
      );
      break;
    case 'setting.changed':
      putSetting(state, event.data);
      break;
    case 'browser.changed':
      state.browser = withTabs(event.data);
      break;
    case 'folder.opened':
      state.workspace = event.data.path;
      putSetting(state, { key: 'view.folders', value: JSON.stringify(event.data.recent), source: 'window' });
      break;
    case 'disk.changed':
      state.disk = event.data;
      break;
    case 'marks.changed':
      state.marks = withElements(event.data);
      state.marksRevision++;
      break;
    case 'pointer.moved':
      state.pointer = event.data;
  }
}

/** Deletes a conversation and those of its subagents. */
function deleteConversation(state: AppState, id: string): void {
  state.conversations = state.conversations.filter((c) => c.id !== id);
  delete state.transcripts[id];
  for (const child of state.conversations.filter((c) => c.parent === id)) deleteConversation(state, child.id);
}

function setStatus(state: AppState, conversation: string | undefined, turn: Turn): void {
  const known = state.conversations.find((c) => c.id === conversation);
  if (known) known.status = turn.status;
}

// Go encodes an empty list as null.
function withTabs(browser: BrowserState): BrowserState {
  return { ...browser, tabs: browser.tabs ?? [] };
}

function withTools<T extends { tools: string[] }>(owner: T): T {
  return { ...owner, tools: owner.tools ?? [] };
}

function withElements(marks: Marks): Marks {
  return { ...marks, elements: marks.elements ?? [] };
}

function putConversation(state: AppState, conversation: Conversation): void {
  const rest = state.conversations.filter((c) => c.id !== conversation.id);
  // Only the snapshot and the event conversation.shared set `shared`. In other events and answers it may be outdated.
  const shared = state.conversations.find((c) => c.id === conversation.id)?.shared ?? false;
  state.conversations = [...rest, { ...conversation, shared }].sort((a, b) => (a.updated < b.updated ? 1 : -1));
}
