// The wire's types as the window uses them, after shared/{event,wire,chat,annotator,toolspec}.

/** Any JSON value. */
export type Json = unknown;

/** How a message or turn stands. */
export type Status = 'running' | 'done' | 'stopped' | 'failed' | 'limit' | 'interrupted';

export interface Conversation {
  id: string;
  title: string;
  model?: string;
  status: Status;
  created: string;
  updated: string;
}

export interface ToolCall {
  id: string;
  name: string;
  args: Json;
}

export interface Message {
  id: string;
  conversation: string;
  turn: string;
  role: 'user' | 'assistant' | 'tool';
  text: string;
  calls?: ToolCall[];
  call_id?: string;
  outside?: string[];
  status: Status;
  time: string;
}

export interface Usage {
  input: number;
  output: number;
  cached?: number;
}

export interface Turn {
  id: string;
  model?: string;
  status: Status;
  error?: string;
  suggestion?: string;
  rounds?: number;
  usage: Usage;
}

export interface Delta {
  message: string;
  text: string;
}

export type Origin = 'baseline' | 'panel' | 'mcp' | 'created';
export type Caller = 'person' | 'pilot' | 'model' | 'http' | 'mcp' | 'run' | 'panel' | 'created';
export type ErrorType = 'validation_error' | 'user_error' | 'system_error' | 'permission_error' | 'security_error';

export interface CallStart {
  tool: string;
  args: Json;
  origin: Origin;
  owner?: string;
  sentence: string;
  caller: Caller;
  client?: string;
  timeout_ms: number;
}

export interface CallChunk {
  stream: string;
  text: string;
}

export type CallStatus = 'done' | 'failed' | 'declined' | 'refused' | 'stopped' | 'interrupted';

export interface CallEnd {
  tool: string;
  status: CallStatus;
  duration_ms: number;
  sentence: string;
  preview?: string[];
  error?: string;
  error_type?: ErrorType;
  suggestion?: string;
  reason?: string;
  sources?: string[];
  output?: string;
  images?: string[];
}

export type Answer = 'once' | 'conversation' | 'always' | 'deny';

export interface Choice {
  answer: Answer;
  scope: string;
}

export interface Approval {
  id: string;
  call: string;
  tool: string;
  args: Json;
  question: string;
  does: string;
  target?: string;
  data?: string;
  why: string;
  annotation?: number;
  hash: string;
  choices: Choice[];
  conversation?: string;
  asked: string;
}

export interface ApprovalAnswer {
  id: string;
  call: string;
  answer: Answer | '';
  reason?: string;
}

export interface Panel {
  id: string;
  title: string;
  description?: string;
  type?: string;
  icon?: string;
  section?: string;
  order: number;
  builtin: boolean;
  tools: string[];
  problems?: string[];
  usable: boolean;
}

export interface ActivityBar {
  expanded: boolean;
  devices: string[];
  device: string;
}

export interface MCPServer {
  name: string;
  state: string;
  enabled: boolean;
  transport: string;
  command?: string;
  tools: string[];
  error?: string;
  next_try?: string;
}

export interface Setting {
  key: string;
  value: string;
  source: string;
}

export interface Tab {
  id: number;
  title: string;
  url: string;
  loading?: boolean;
  back: boolean;
  forward: boolean;
  favicon?: string;
  dialog?: string;
  dialog_type?: string;
  crashed?: boolean;
}

export interface BrowserState {
  status: string;
  error?: string;
  hint?: string;
  tabs: Tab[];
  active: number;
  driving?: string;
  person_has?: boolean;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PageRef {
  title: string;
  url: string;
  version: number;
  tab: number;
}

export interface MarkElement {
  id: number;
  role: string;
  name: string;
  value?: string;
  states?: string[];
  box: Box;
  frame?: string;
  usable: boolean;
  in_view: boolean;
  group?: string;
}

export interface Marks {
  page: PageRef;
  elements: MarkElement[];
  above: number;
  below: number;
  width: number;
  height: number;
  settled_ms: number;
  on: boolean;
}

export interface Pointer {
  tab: number;
  x: number;
  y: number;
  press?: boolean;
  target?: number;
}

export interface StoredEvent {
  seq: number;
  kind: string;
  time: string;
  conversation?: string;
  turn?: string;
  call?: string;
  data: Json;
}

/** Every JSON message of the socket. */
export interface Envelope extends StoredEvent {
  v: number;
}

export interface Hello {
  seq: number;
  version: string;
}

/** A person's hand on the picture, in CSS pixels of the page's viewport. */
export interface Input {
  type: 'down' | 'up' | 'move' | 'wheel' | 'keydown' | 'keyup' | 'text';
  x?: number;
  y?: number;
  dx?: number;
  dy?: number;
  button?: string;
  count?: number;
  key?: string;
  code?: string;
  text?: string;
  modifiers?: number;
}

export interface ClientMessage {
  v: 1;
  kind: 'hello' | 'live.open' | 'live.close' | 'live.ack' | 'input';
  token?: string;
  after?: number;
  width?: number;
  height?: number;
  scale?: number;
  frame?: number;
  tab?: number;
  input?: Input;
}

export interface FrameHeader {
  frame: number;
  tab: number;
  width: number;
  height: number;
  scroll_x: number;
  scroll_y: number;
}

export interface Banner {
  kind: string;
  text: string;
  hint?: string;
}

export interface Model {
  name: string;
  provider: string;
  label: string;
  state: string;
  detail?: string;
}

export interface Snapshot {
  seq: number;
  version: string;
  panels: Panel[];
  active_panel: string;
  activity_bar: ActivityBar;
  browser: BrowserState;
  marks?: Marks;
  approvals: Approval[];
  conversations: Conversation[];
  mcp: MCPServer[];
  models: Model[];
  mode: string;
  workspace: string;
  settings: Setting[];
  banners: Banner[];
  panels_folder: string;
}

export interface Transcript {
  seq: number;
  conversation: Conversation;
  events: StoredEvent[];
}

export interface CallRow {
  id: string;
  tool: string;
  origin: Origin;
  caller: Caller;
  client?: string;
  conversation?: string;
  turn?: string;
  args: Json;
  status: string;
  sentence: string;
  preview?: string[];
  error?: string;
  error_type?: ErrorType;
  suggestion?: string;
  decision: string;
  reason?: string;
  sources?: string[];
  output?: string;
  started: string;
  duration_ms: number;
}

export interface Hints {
  read_only?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  open_world?: boolean;
  confirm?: boolean;
}

export interface ToolInfo {
  name: string;
  description: string;
  parameters: Json;
  origin: Origin;
  owner?: string;
  group?: string;
  hints: Hints;
  timeout_ms?: number;
  examples?: Json[];
  tokens: number;
  active: boolean;
}

export interface ToolList {
  tools: ToolInfo[];
  tokens: number;
}

/** What a tool answers (CONTRACT "Results"). */
export interface Result {
  success: boolean;
  result?: Json;
  error?: string;
  error_type?: ErrorType;
  suggestion?: string;
  duration_ms: number;
}
