import type {
  ActivityBar,
  Approval,
  ApprovalAnswer,
  BrowserState,
  CallRow,
  Conversation,
  Disk,
  Marks,
  MCPHeard,
  MCPServer,
  Model,
  Panel,
  Pointer,
  Setting,
  Snapshot,
  StoredEvent,
  Transcript,
  Turn,
} from '../../shared/api/types';
import { callFromRow, reduceCall } from './calls';
import { emptyThread, type AppState } from './state';
import { reduceThread } from './thread';

/** What can change the state: an event of the program, or an answer that was asked for. */
export type Change =
  | { is: 'event'; event: StoredEvent }
  | { is: 'snapshot'; snapshot: Snapshot; again: boolean }
  | { is: 'transcript'; transcript: Transcript; missed: StoredEvent[] }
  | { is: 'calls'; rows: CallRow[] }
  | { is: 'models'; models: Model[] }
  | { is: 'setting'; setting: Setting }
  | { is: 'conversation'; conversation: Conversation };

/** At most so many calls stay in the activity list. */
const ACTIVITY_MAX = 1000;

/** Applies a change to the state in place. The one function that writes it. */
export function reduce(state: AppState, change: Change): void {
  switch (change.is) {
    case 'event':
      reduceEvent(state, change.event);
      break;
    case 'snapshot':
      takeSnapshot(state, change.snapshot, change.again);
      break;
    case 'transcript':
      takeTranscript(state, change.transcript, change.missed);
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

/** A change holds what is in force; what the setting is about came with the snapshot. */
function putSetting(state: AppState, setting: Setting): void {
  state.settings[setting.key] = { about: state.settings[setting.key]?.about, ...setting };
}

function setActive(state: AppState, panel: string): void {
  state.activePanel = panel;
  state.activeAt[panel] = ++state.activeRevision;
}

/** The newest values of what is never stored, and at the first time everything. */
function takeSnapshot(state: AppState, snapshot: Snapshot, again: boolean): void {
  state.version = snapshot.version;
  state.workspace = snapshot.workspace;
  state.panelsFolder = snapshot.panels_folder;
  state.panels = (snapshot.panels ?? []).map(withTools);
  setActive(state, snapshot.active_panel);
  state.bar = snapshot.activity_bar;
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
  // After a reconnect the stored events come again from the old place; the number stays.
  if (!again) state.seq = snapshot.seq;
}

function takeTranscript(state: AppState, transcript: Transcript, missed: StoredEvent[]): void {
  const { conversation, events, seq } = transcript;
  state.threads[conversation.id] = emptyThread(conversation.id);
  putConversation(state, conversation);
  for (const event of events ?? []) {
    reduceCall(state, event);
    reduceThread(state, event);
  }
  for (const event of missed) if (event.seq > seq) reduceThread(state, event);
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
  if (reduceCall(state, event)) {
    if (event.call && event.kind === 'call.started') {
      state.activity = [event.call, ...state.activity.filter((id) => id !== event.call)].slice(0, ACTIVITY_MAX);
    }
  }
  reduceThread(state, event);
  reduceRest(state, event);
}

function reduceRest(state: AppState, event: StoredEvent): void {
  const data = event.data as never;
  switch (event.kind) {
    case 'conversation.created':
    case 'conversation.updated':
      putConversation(state, data);
      break;
    case 'conversation.shared': {
      const said = data as { id: string; shared: boolean };
      const known = state.conversations.find((c) => c.id === said.id);
      if (known) known.shared = said.shared;
      break;
    }
    case 'conversation.deleted': {
      forget(state, (data as { id: string }).id);
      break;
    }
    case 'turn.started':
    case 'turn.ended': {
      const known = state.conversations.find((c) => c.id === event.conversation);
      if (known) known.status = (data as Turn).status;
      break;
    }
    case 'approval.asked': {
      const approval = data as Approval;
      state.approvals = [...state.approvals.filter((a) => a.id !== approval.id), approval];
      break;
    }
    case 'approval.answered':
      state.approvals = state.approvals.filter((a) => a.id !== (data as ApprovalAnswer).id);
      break;
    case 'panel.opened':
      setActive(state, (data as { panel: string }).panel);
      break;
    case 'panel.closed':
      if (state.activePanel === (data as { panel: string }).panel) setActive(state, '');
      break;
    case 'panels.changed':
      state.panels = ((data as { panels: Panel[] }).panels ?? []).map(withTools);
      state.catalogue++;
      break;
    case 'catalogue.changed':
      state.catalogue++;
      break;
    case 'activitybar.changed':
      state.bar = data as ActivityBar;
      break;
    case 'surface.focused':
      state.focus = { surface: (data as { surface: string }).surface, count: state.focus.count + 1 };
      break;
    case 'mcp.changed':
      state.servers = ((data as { servers: MCPServer[] }).servers ?? []).map(withTools);
      state.catalogue++;
      break;
    case 'mcp.told':
      state.told = Object.fromEntries(
        ((data as MCPHeard).servers ?? []).map(({ name, lists, updates }) => [name, { lists, updates: updates ?? {} }]),
      );
      break;
    case 'setting.changed':
      putSetting(state, data as Setting);
      break;
    case 'browser.changed':
      state.browser = withTabs(data);
      break;
    case 'disk.changed':
      state.disk = data as Disk;
      break;
    case 'marks.changed':
      state.marks = withElements(data);
      state.marksRevision++;
      break;
    case 'pointer.moved':
      state.pointer = data as Pointer;
  }
}

/** A conversation goes with the talks of the subagents that worked for it. */
function forget(state: AppState, id: string): void {
  state.conversations = state.conversations.filter((c) => c.id !== id);
  delete state.threads[id];
  for (const child of state.conversations.filter((c) => c.parent === id)) forget(state, child.id);
}

// Go may spell an empty list as null.
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
  // Only conversation.shared says whether it is shared: what else is told of it may be older.
  const shared = state.conversations.find((c) => c.id === conversation.id)?.shared ?? false;
  state.conversations = [...rest, { ...conversation, shared }].sort((a, b) => (a.updated < b.updated ? 1 : -1));
}
