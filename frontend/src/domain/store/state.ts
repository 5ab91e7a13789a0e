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
  Kept,
  Offer,
  Marks,
  MCPServer,
  Model,
  Origin,
  Panel,
  Pointer,
  Setting,
  Turn,
  Waiting,
} from '../../shared/api/types';

/** One call as its card and the timeline show it. */
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
  /** It only reads: nothing is other than before after it. */
  looks: boolean;
  durationMs: number;
  /** What streamed so far, its last OUTPUT_MAX characters. */
  live: string;
  /** How much of it is done, 0 to 100, where it says so while it runs. */
  share: number | null;
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
  /** The call that this one is the doing of, and the other way round; "" for none. */
  within: string;
  inner: string;
  /** Its panel can take it back. */
  undoable: boolean;
  /** The address of the MCP server's page that shows it, and the blob of its whole answer; "" for none. */
  app: string;
  answer: string;
  /** Set when the result was too long to be handed out in one piece. */
  kept: Kept | null;
}

/** How long a message waited, and whether it was taken into a turn that ran. */
export interface Waited {
  ms: number;
  steered: boolean;
}

/** An entry of a conversation, in the order it came. */
export type Item =
  | { kind: 'me'; id: string; text: string; time: string; turn: string; outside?: string[]; waited?: Waited }
  | {
      kind: 'say';
      id: string;
      text: string;
      time: string;
      turn: string;
      done: boolean;
      outside: string[];
      offers: Offer[];
    }
  /** What a model thinks before it answers; `ms` is null while it does. */
  | { kind: 'thought'; id: string; text: string; time: string; turn: string; ms: number | null }
  | { kind: 'call'; id: string; turn: string }
  | { kind: 'answer'; id: string; approval: Approval | null; answer: ApprovalAnswer; time: string; turn: string }
  /** The beginning of the talk, summed up; `used` while the model is sent it instead. */
  | { kind: 'sum'; id: string; text: string; time: string; turn: string; used: boolean; outside: string[] }
  /** Text of a server that a person gave with the message below it. */
  | { kind: 'given'; id: string; title: string; text: string; outside: string[]; turn: string }
  /** What is said about an answer that is waited for. */
  | { kind: 'note'; id: string; text: string; turn: string }
  | { kind: 'end'; id: string; turn: Turn };

/** One way a conversation went on. */
export interface BranchView {
  id: string;
  /** The branch it parts from, and how many of all items came before it. */
  parent: string;
  cut: number;
  /** Grows each time it becomes active. */
  used: number;
}

/** One conversation as far as it was read. The items of all branches stand in the order they came. */
export interface Thread {
  id: string;
  items: Item[];
  /** The turn that runs now. */
  turn: Turn | null;
  /** Tokens of all turns. */
  tokens: number;
  /** Where outside text in it came from; by turn in `sources`. */
  outside: string[];
  sources: Record<string, string[]>;
  /** How it parts; the first branch is the way it went at first. */
  branches: BranchView[];
  /** The branch that is shown. */
  branch: string;
  /** The branch of each turn. */
  turns: Record<string, string>;
  questions: Record<string, Approval>;
  /** Messages that were sent while a turn ran and are not part of it yet. */
  waiting: Waiting[];
}

/** What the window knows. Only the reducer writes it. */
export interface AppState {
  seq: number;
  version: string;
  workspace: string;
  panelsFolder: string;
  panels: Panel[];
  activePanel: string;
  /** Grows with each word from the program on which panel is active; by panel, when it was last that one. */
  activeRevision: number;
  activeAt: Record<string, number>;
  bar: ActivityBar;
  browser: BrowserState;
  marks: Marks | null;
  /** Rises with every marks event, so that drawing can tell a new look from an old one. */
  marksRevision: number;
  pointer: Pointer | null;
  approvals: Approval[];
  conversations: Conversation[];
  threads: Record<string, Thread>;
  calls: Record<string, CallView>;
  /** Ids of calls, newest first: what the activity list shows. */
  activity: string[];
  servers: MCPServer[];
  /** By server: how often its resources or prompts changed, and each resource that is watched. */
  told: Record<string, { lists: number; updates: Record<string, number> }>;
  models: Model[];
  settings: Record<string, Setting>;
  banners: Banner[];
  disk: Disk;
  /** Rises when tools have to be asked for again. */
  catalogue: number;
  /** The newest wish to focus something: a panel id, "assistant" or "page". */
  focus: { surface: string; count: number };
}

/** The state before anything was heard. */
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
    bar: { expanded: false, devices: [], device: '' },
    browser: { status: 'starting', tabs: [], active: 0 },
    marks: null,
    marksRevision: 0,
    pointer: null,
    approvals: [],
    conversations: [],
    threads: {},
    calls: {},
    activity: [],
    servers: [],
    told: {},
    models: [],
    settings: {},
    banners: [],
    disk: { level: 'enough', folder: '', free: 0 },
    catalogue: 0,
    focus: { surface: '', count: 0 },
  };
}

/** A conversation nothing was read of yet. */
export function emptyThread(id: string): Thread {
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
    questions: {},
    waiting: [],
  };
}
