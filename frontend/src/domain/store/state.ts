import type {
  ActivityBar,
  Approval,
  ApprovalAnswer,
  Banner,
  BrowserState,
  CallStatus,
  Caller,
  Conversation,
  Disk,
  ErrorType,
  Json,
  StoredFile,
  StoredResult,
  MCPServer,
  Marks,
  Model,
  Offer,
  Origin,
  Panel,
  Pointer,
  Setting,
  Turn,
  WaitingMessage,
} from '../../shared/api/types';

/** A call as its card and the activity list show it. */
export interface CallView {
  id: string;
  tool: string;
  args: Json;
  origin: Origin;
  owner: string;
  caller: Caller;
  client: string;
  conversation: string;
  turn: string;
  sentence: string;
  status: 'queued' | 'running' | CallStatus;
  started: string;
  timeoutMs: number;
  readOnly: boolean;
  /** What the model said that the call is for; "" if it said nothing. */
  purpose: string;
  /** Whether the running call is shown without an animation. */
  still: boolean;
  durationMs: number;
  /** The last 32,768 characters of the streamed output. */
  liveOutput: string;
  /** The progress in percent; null when the call reports none. */
  progress: number | null;
  preview: string[];
  error: string;
  errorType: ErrorType | '';
  suggestion: string;
  reason: string;
  decision: string;
  sources: string[];
  output: string;
  images: string[];
  /** Paths of the files that the call changed and whose change can be undone. */
  changed: string[];
  /** The id of the call that made this call, and of the last call that this call made; "" for none. */
  outerCall: string;
  innerCall: string;
  /** Whether the call's panel can undo it. */
  undoable: boolean;
  /** The address of the MCP server's page for this call, and the blob id of the server's answer; "" for none. */
  app: string;
  answerBlob: string;
  /** The stored result, if it was too long for one answer; else null. */
  storedResult: StoredResult | null;
}

/**
 * An entry of a conversation. `place` orders the entries of a conversation: it is the sequence number of the event that
 * added the entry.
 */
export type Item = { place: number } & ItemContent;

type ItemContent =
  | {
      kind: 'user';
      id: string;
      text: string;
      time: string;
      turn: string;
      outside?: string[];
      /** Set if the message was sent during a turn: how long it waited, and whether it was added to that turn. */
      queued?: { ms: number; steered: boolean };
    }
  | {
      kind: 'assistant';
      id: string;
      text: string;
      time: string;
      turn: string;
      done: boolean;
      outside: string[];
      offers: Offer[];
    }
  /** `ms` is the duration; null while the model is reasoning. */
  | { kind: 'reasoning'; id: string; text: string; time: string; turn: string; ms: number | null }
  | { kind: 'call'; id: string; turn: string }
  | { kind: 'approval'; id: string; approval: Approval | null; answer: ApprovalAnswer; time: string; turn: string }
  /** A summary of the items before it; `used` if the model is sent the summary instead of them. */
  | { kind: 'summary'; id: string; text: string; time: string; turn: string; used: boolean; outside: string[] }
  /** A file, or text of an MCP server, that the person attached to the message below it. */
  | { kind: 'attachment'; id: string; title: string; text: string; outside: string[]; turn: string; file?: StoredFile }
  /** A sentence about the turn, for example that the model is slow to answer. */
  | { kind: 'note'; id: string; text: string; turn: string }
  | { kind: 'turnEnd'; id: string; turn: Turn };

/** A branch shares with its parent the items before the place `cut`. */
export interface BranchView {
  id: string;
  parent: string;
  cut: number;
  /** The sequence number of the event that last activated the branch. */
  used: number;
}

/** A conversation, or the part of it that is loaded. */
export interface TranscriptView {
  id: string;
  /** The loaded items of all branches, in the order of their places. */
  items: Item[];
  /** The kind and id of every loaded item. */
  known: Set<string>;
  /** The place of the item that is being added. */
  place: number;
  /** The first and last loaded places; `from` 0 if nothing is before the part, `until` 0 if nothing is after it. */
  from: number;
  until: number;
  /** Whether the part must be loaded again, because a branch forks from it before `from`. */
  outdated: boolean;
  /** The running turn, null for none. */
  turn: Turn | null;
  /** The sources of outside text by turn, and those before the loaded part. */
  sources: Record<string, string[]>;
  earlierSources: string[];
  /** All branches; the first has the id "". */
  branches: BranchView[];
  /** The id of the active branch. */
  branch: string;
  /** The branch id of each turn. */
  turns: Record<string, string>;
  approvals: Record<string, Approval>;
  /** The queued messages. */
  waiting: WaitingMessage[];
}

/** The state of the window. Only the reducer writes it. */
export interface AppState {
  seq: number;
  version: string;
  workspace: string;
  panelsFolder: string;
  panels: Panel[];
  activePanel: string;
  /** Counts how often the active panel was set. `activeAt` has each panel's count when it was last set. */
  activeRevision: number;
  activeAt: Record<string, number>;
  activityBar: ActivityBar;
  browser: BrowserState;
  marks: Marks | null;
  /** Counts the updates of `marks`, so that views can distinguish a new observation from an old one. */
  marksRevision: number;
  pointer: Pointer | null;
  approvals: Approval[];
  conversations: Conversation[];
  transcripts: Record<string, TranscriptView>;
  calls: Record<string, CallView>;
  /** Ids of calls for the activity list, newest first. */
  activity: string[];
  servers: MCPServer[];
  /** By server: how often its lists of resources and prompts changed, and how often each watched resource changed. */
  serverUpdates: Record<string, { lists: number; updates: Record<string, number> }>;
  models: Model[];
  settings: Record<string, Setting>;
  banners: Banner[];
  disk: Disk;
  /** Counts the changes of the catalog, the panels and the MCP servers. */
  toolsRevision: number;
  /** The newest request to focus a surface (a panel's id, "assistant" or "page"); `count` counts the requests. */
  focus: { surface: string; count: number };
}

export function emptyState(): AppState {
  return {
    seq: 0,
    version: '',
    workspace: '',
    panelsFolder: '',
    panels: [],
    activePanel: '',
    activeRevision: 0,
    activeAt: {},
    activityBar: { expanded: false, devices: [], device: '' },
    browser: { status: 'starting', tabs: [], active: 0 },
    marks: null,
    marksRevision: 0,
    pointer: null,
    approvals: [],
    conversations: [],
    transcripts: {},
    calls: {},
    activity: [],
    servers: [],
    serverUpdates: {},
    models: [],
    settings: {},
    banners: [],
    disk: { level: 'enough', folder: '', free: 0 },
    toolsRevision: 0,
    focus: { surface: '', count: 0 },
  };
}

export function emptyTranscript(id: string): TranscriptView {
  return {
    id,
    items: [],
    known: new Set(),
    place: 0,
    from: 0,
    until: 0,
    outdated: false,
    turn: null,
    sources: {},
    earlierSources: [],
    branches: [{ id: '', parent: '', cut: 0, used: 0 }],
    branch: '',
    turns: {},
    approvals: {},
    waiting: [],
  };
}
