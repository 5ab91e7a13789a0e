import type {
  Completion,
  PilotCommand,
  Answer,
  AuditCheck,
  AuditPage,
  CallRow,
  ClientMessage,
  Conversation,
  ChangedFile,
  CreatedTool,
  Envelope,
  FrameHeader,
  Grant,
  RuleDraft,
  SecretDraft,
  ProgramList,
  SecretList,
  ServerDetail,
  ServerMay,
  ServerPreview,
  ServerSource,
  ServerConsents,
  ServerEntry,
  Json,
  Metrics,
  MetricsRange,
  Model,
  EvalOutcome,
  PanelOffer,
  Permission,
  PanelSetting,
  PageTree,
  Result,
  Setting,
  Snapshot,
  StoredEvent,
  Spending,
  TerminalMessage,
  TerminalNews,
  ToolHistory,
  ToolList,
  Transcript,
} from './types';
import type { AppDesk } from './apps';
import type { Desk } from './desk';
import type { Attachment, Shelf } from './shelf';

/** A picture of the page: its header and the encoded bytes. */
export interface Frame {
  header: FrameHeader;
  picture: Blob;
}

/** What a connection tells; `closed` comes exactly once and last. */
export interface SocketHandlers {
  hello(seq: number): void;
  event(event: Envelope): void;
  /** A question about the page of the panel that is shown. */
  asked(question: Envelope): void;
  frame(frame: Frame): void;
  closed(): void;
}

export interface Connection {
  send(message: ClientMessage): void;
  close(): void;
}

/** What a connection to the terminals tells; `closed` comes exactly once and last. */
export interface TerminalHandlers {
  news(news: TerminalNews): void;
  output(tab: number, bytes: Uint8Array): void;
  closed(): void;
}

export interface TerminalLink {
  send(message: Omit<TerminalMessage, 'v'>): void;
  /** Hands on what a person typed into a tab. */
  type(tab: number, text: string): void;
  close(): void;
}

/** Why a request failed: `status` 0 means the program did not answer. */
export class BackendError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail ? `${title}: ${detail}` : title);
    this.name = 'BackendError';
  }
}

/** Everything the window asks of the program. Failures are BackendErrors. */
export interface Backend {
  readonly desk: Desk;
  readonly apps: AppDesk;
  readonly shelf: Shelf;
  state(): Promise<Snapshot>;
  connect(after: number, handlers: SocketHandlers): Connection;
  /** The terminals of the person's own and of the assistant. */
  terminals(handlers: TerminalHandlers): TerminalLink;
  events(after: number): Promise<StoredEvent[]>;

  createConversation(title: string): Promise<Conversation>;
  transcript(id: string): Promise<Transcript>;
  renameConversation(id: string, title: string): Promise<void>;
  /** Lets other programs read it over MCP, or not any more. */
  shareConversation(id: string, shared: boolean): Promise<void>;
  deleteConversation(id: string): Promise<void>;
  /** How a message to the pilot may go on, from the text before the cursor. */
  complete(text: string, panel: string): Promise<Completion>;
  pilotGrammar(): Promise<PilotCommand[]>;
  /** Begins a turn, or lets the message wait for the one that runs. */
  /** With raise the conversation is allowed once more what its budget is. */
  send(
    conversation: string,
    text: string,
    model: string,
    panel: string,
    when: 'now' | 'next',
    raise?: boolean,
    given?: { attached?: Attachment[]; from?: string[] },
  ): Promise<void>;
  bill(conversation: string): Promise<Spending>;
  changeWaiting(conversation: string, message: string, when: 'now' | 'next'): Promise<void>;
  dropWaiting(conversation: string, message: string): Promise<void>;
  askWaiting(conversation: string, message: string): Promise<void>;
  /** Asks a message again in a new branch: with other words, or with "" as it is. */
  branch(conversation: string, message: string, text: string, model: string, panel: string): Promise<void>;
  /** Goes on in another branch; "" is the way the conversation went at first. */
  chooseBranch(conversation: string, branch: string): Promise<void>;
  stop(conversation: string): Promise<void>;
  /** Sends the model a summary, or again what it stands for. */
  useSummary(conversation: string, message: string, use: boolean): Promise<void>;

  answer(
    approval: string,
    answer: Answer,
    reason: string,
    hash: string,
    filled?: Record<string, unknown>,
  ): Promise<void>;
  cancelCall(call: string): Promise<void>;
  calls(limit: number): Promise<CallRow[]>;
  grants(): Promise<Grant[]>;
  /** Takes a grant back; answers with those that are left. */
  revoke(grant: string): Promise<Grant[]>;
  /** Makes a rule that forbids; answers with all grants and rules. */
  forbid(rule: RuleDraft): Promise<Grant[]>;
  /** Calls older than `before` (0 for the newest) that hold all the words. */
  audit(before: number, words: string): Promise<AuditPage>;
  verifyAudit(): Promise<AuditCheck>;
  /** Figures over a range, of calls of one origin or ('') of all. */
  metrics(range: MetricsRange, origin: string): Promise<Metrics>;
  toolHistory(tool: string, origin: string, range: MetricsRange): Promise<ToolHistory>;
  /** What a turn did to files. */
  changes(turn: string): Promise<ChangedFile[]>;
  undoChanges(turn: string): Promise<Result>;
  created(): Promise<CreatedTool[]>;
  /** Lets a created tool be called whose version was read. */
  wake(tool: string, version: number): Promise<CreatedTool[]>;
  deleteTool(tool: string): Promise<CreatedTool[]>;
  /** Other programs that are connected over MCP, and how they connect. */
  programs(): Promise<ProgramList>;
  dismissProgram(id: string): Promise<ProgramList>;
  secrets(): Promise<SecretList>;
  putSecret(name: string, secret: SecretDraft): Promise<SecretList>;
  deleteSecret(name: string): Promise<SecretList>;
  tools(): Promise<ToolList>;
  /** Says what every call of a tool needs, '' leaves it to the rules; answers with all tools. */
  permit(tool: string, permission: Permission): Promise<ToolList>;
  models(): Promise<Model[]>;
  setting(key: string, value: string): Promise<Setting>;
  /** Forgets what the window set, so that the default is in force. */
  resetSetting(key: string): Promise<Setting>;
  blob(id: string): Promise<Blob>;
  /** The whole text of a result that was too long to be handed out. */
  result(handle: string): Promise<Blob>;

  execute(tool: string, args: Json, panel: string): Promise<Result>;
  /** Runs a tool as the panel's page asks: its own tools, and those its manifest names. Never the person's call. */
  callPanel(panel: string, tool: string, args: Json): Promise<Result>;
  /** The declarative page of a panel. */
  panelPage(panel: string): Promise<PageTree>;
  /** What a panel's page had kept, null for nothing. */
  panelState(panel: string): Promise<unknown>;
  keepPanelState(panel: string, state: unknown): Promise<void>;
  openPanel(panel: string): Promise<void>;
  /** Takes over the change of a panel that was shown, named by its hash, or leaves it out. */
  answerPanel(panel: string, hash: string, take: boolean): Promise<void>;
  /** Takes over changes of a panel's tools without asking until Sextant ends, or asks again. */
  developPanel(panel: string, on: boolean): Promise<void>;
  /** Offers a panel's tools while another one is active, too, or no longer. */
  /** What a person may set for a panel; the values of sensitive settings are not in it. */
  panelSettings(panel: string): Promise<PanelSetting[]>;
  /** Sets values by name; null takes one back to its default. */
  setPanelSettings(panel: string, values: Json): Promise<PanelSetting[]>;
  /** Says what installing a panel's file (in Base64) would do. */
  offerPanel(archive: string): Promise<PanelOffer>;
  /** Installs the file that was offered under that hash, and gives the panel's id. */
  installPanel(archive: string, hash: string): Promise<string>;
  /** Makes the calls of a panel's evals and compares the answers. */
  evalPanel(panel: string): Promise<EvalOutcome[]>;
  pinPanel(panel: string, pinned: boolean): Promise<void>;
  /** Says what a panel shows now, by the keys its manifest declares; it replaces what was said before. */
  publishContext(panel: string, values: Record<string, Json>): Promise<void>;
  hand(person: boolean): Promise<void>;
  startBrowser(): Promise<void>;
  toggleServer(name: string, enabled: boolean): Promise<void>;
  server(name: string): Promise<ServerDetail>;
  /** What a server with that entry may touch. */
  serverMay(entry: ServerEntry): Promise<ServerMay>;
  addServer(name: string, entry: ServerEntry): Promise<void>;
  changeServer(name: string, entry: ServerEntry): Promise<void>;
  consentServer(name: string, consents: ServerConsents): Promise<void>;
  removeServer(name: string): Promise<void>;
  restartServer(name: string): Promise<void>;
  /** What another program's text or file would add; nothing is written. */
  previewServers(source: ServerSource): Promise<ServerPreview>;
  /** Adds those servers of another program's text or file that are named, switched off. */
  importServers(source: ServerSource, names: string[]): Promise<{ added: string[]; skipped: string[] }>;
}
