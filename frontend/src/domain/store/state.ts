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

/** One call as its card and the activity list show it. */
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
  durationMs: number;
  /** The last OUTPUT_MAX characters that streamed. */
  liveOutput: string;
  /** Progress in percent, null when the call reports none. */
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
  /** Files it changed in a way that can be undone. */
  changed: string[];
  /** The call that this one is a part of, and the other way round; "" for none. */
  outerCall: string;
  innerCall: string;
  /** Its panel can undo it. */
  undoable: boolean;
  /** The address of the MCP server's page that shows it, and the blob of its whole answer; "" for none. */
  app: string;
  answerBlob: string;
  /** Where the whole result is stored when it was too long for one answer. */
  storedResult: StoredResult | null;
}

/** An entry of a conversation, in the order of arrival. */
export type Item =
  | {
      kind: 'user';
      id: string;
      text: string;
      time: string;
      turn: string;
      outside?: string[];
      /** Set when the message was sent while a turn ran: how long it waited, and whether that turn took it. */
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
  /** `ms` is null while the model still reasons. */
  | { kind: 'reasoning'; id: string; text: string; time: string; turn: string; ms: number | null }
  | { kind: 'call'; id: string; turn: string }
  | { kind: 'approval'; id: string; approval: Approval | null; answer: ApprovalAnswer; time: string; turn: string }
  /** A summary of what comes before; `used` while the model is sent it instead. */
  | { kind: 'summary'; id: string; text: string; time: string; turn: string; used: boolean; outside: string[] }
  /** Text of an MCP server that a person attached to the message below it. */
  | { kind: 'attachment'; id: string; title: string; text: string; outside: string[]; turn: string }
  /** A sentence about an answer that is late. */
  | { kind: 'note'; id: string; text: string; turn: string }
  | { kind: 'turnEnd'; id: string; turn: Turn };

export interface BranchView {
  id: string;
  /** The branch it starts from, and how many of all items came before it. */
  parent: string;
  cut: number;
  /** The sequence number at which it last became active. */
  used: number;
}

/** What is loaded of one conversation. The items of all branches are in the order of arrival. */
export interface TranscriptView {
  id: string;
  items: Item[];
  /** The turn that runs now. */
  turn: Turn | null;
  /** Tokens of all turns. */
  tokens: number;
  /** Sources of outside text, in all and by turn. */
  outside: string[];
  sources: Record<string, string[]>;
  /** All branches; the first has the id "". */
  branches: BranchView[];
  /** The active branch. */
  branch: string;
  /** The branch of each turn. */
  turns: Record<string, string>;
  approvals: Record<string, Approval>;
  /** Messages that wait for the running turn. */
  waiting: WaitingMessage[];
}

/** What the window knows. Only the reducer writes it. */
export interface AppState {
  seq: number;
  version: string;
  workspace: string;
  panelsFolder: string;
  panels: Panel[];
  activePanel: string;
  /** Counts the reports of the active panel; by panel, the count when it last became active. */
  activeRevision: number;
  activeAt: Record<string, number>;
  activityBar: ActivityBar;
  browser: BrowserState;
  marks: Marks | null;
  /** Counts marks events, so that drawing can tell a new observation from an old one. */
  marksRevision: number;
  pointer: Pointer | null;
  approvals: Approval[];
  conversations: Conversation[];
  transcripts: Record<string, TranscriptView>;
  calls: Record<string, CallView>;
  /** Ids of calls for the activity list, newest first. */
  activity: string[];
  servers: MCPServer[];
  /** By server: how often its resources or prompts changed, and each resource that is watched. */
  serverUpdates: Record<string, { lists: number; updates: Record<string, number> }>;
  models: Model[];
  settings: Record<string, Setting>;
  banners: Banner[];
  disk: Disk;
  /** Counts the changes of the list of tools. */
  toolsRevision: number;
  /** The newest request to focus something: a panel id, "assistant" or "page". */
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
    turn: null,
    tokens: 0,
    outside: [],
    sources: {},
    branches: [{ id: '', parent: '', cut: 0, used: 0 }],
    branch: '',
    turns: {},
    approvals: {},
    waiting: [],
  };
}
