// The wire's types, generated from the program's; here they only get the names the window uses,
// and the closed vocabularies that Go spells as constants.
import type { components } from './schema.gen';

type S = components['schemas'];
type With<T, N> = Omit<T, keyof N> & N;

/** Any JSON value. */
export type Json = unknown;

/** How a message or turn stands. */
export type Status = 'running' | 'done' | 'stopped' | 'failed' | 'limit' | 'interrupted';
export type Origin = 'baseline' | 'panel' | 'mcp' | 'created';
export type Caller = 'person' | 'pilot' | 'model' | 'http' | 'mcp' | 'run' | 'panel' | 'created' | 'app';
export type ErrorType = 'validation_error' | 'user_error' | 'system_error' | 'permission_error' | 'security_error';
export type CallStatus = 'done' | 'failed' | 'declined' | 'refused' | 'stopped' | 'interrupted';
export type Answer = S['Post-api-approvals-idRequest']['answer'];

export type Conversation = With<S['Conversation'], { status: Status }>;
export type Message = With<S['Message'], { role: 'user' | 'assistant' | 'tool' | 'note' | 'summary'; status: Status }>;
export type Turn = With<S['Turn'], { status: Status }>;
export type Delta = S['Delta'];
/** When a message that waits is taken: at the next safe point, after the turn, or never by itself. */
export type Moment = 'now' | 'next' | 'kept';
export type Waiting = With<S['Waiting'], { when: Moment }>;
export type Taken = S['Taken'];
export type Branch = S['Branch'];

export type CallStart = With<S['CallStart'], { origin: Origin; caller: Caller }>;
export type CallChunk = S['CallChunk'];
export type CallEnd = With<S['CallEnd'], { status: CallStatus; error_type?: ErrorType }>;
export type Kept = S['Kept'];
export type CallRow = With<S['CallRow'], { origin: Origin; caller: Caller; error_type?: ErrorType }>;

export type RuleDraft = S['RuleDraft'];
export type Grant = With<S['GrantRow'], { scope: 'conversation' | 'always' | 'never' }>;
export type CreatedTool = S['CreatedTool'];
/** Stands for a call's path among what a turn changed. */
export const callPath = (call: string) => `call:${call}`;
export type UndoableCall = With<S['UndoableCall'], { state: 'ready' | 'undone' | 'conflict' }>;
/** What a turn did to a file; with `call` it is a call that its panel can take back, `shown` says what it did. */
export type ChangedFile = With<
  S['ChangedFile'],
  { did: 'made' | 'changed' | 'removed'; state: 'ready' | 'undone' | 'conflict'; by?: 'command' }
> & { call?: UndoableCall };
export type AuditPage = With<S['AuditPage'], { calls: CallRow[] }>;
export type SecretInfo = With<S['Secret'], { places: ('header' | 'query' | 'body' | 'field' | 'env')[] }>;
export type SecretList = With<S['SecretList'], { secrets: SecretInfo[] }>;
export type Program = With<S['Program'], { via: 'stdio' | 'http' }>;
export type ProgramList = With<S['Programs'], { args: string[]; programs: Program[] }>;
/** What is kept of a secret beside its name. */
export interface SecretDraft {
  host: string;
  value: string;
  places: string[];
}
export type AuditCheck = S['AuditCheck'];

export type MetricsRange = 'day' | 'week' | 'month' | 'all';
export type ToolMetrics = S['ToolMetrics'];
export type Metrics = S['Metrics'];
export type Completion = S['Completion'];
export type CompletionItem = S['CompletionItem'];
export type PilotCommand = S['PilotCommand'];
export type Offer = S['Offer'];
export type ModelMetrics = S['ModelMetrics'];
export type Money = S['Money'];
export type Bill = S['Bill'];
export type Spending = S['Spending'];
export type Budget = S['Budget'];
export type ToolHistory = With<S['ToolHistory'], { failures: CallRow[] }>;

export type Choice = With<S['Choice'], { answer: Answer }>;
export type Approval = With<S['Approval'], { choices: Choice[] }>;
export type FormField = S['FormField'];
export type ApprovalAnswer = With<S['ApprovalAnswer'], { answer: Answer | '' }>;

export type Panel = S['Panel'];
export type ActivityBar = S['ActivityBar'];
export type MCPServer = S['MCPServer'];
export type MCPList = S['MCPList'];
export type MCPHeard = S['MCPHeard'];
export type Setting = S['Setting'];
export type Banner = S['Banner'];
export type Model = S['Model'];

export type Tab = S['Tab'];
export type Download = S['Download'];
export type Disk = S['Disk'];
export type BrowserState = S['BrowserState'];
export type MarkElement = S['Element'];
export type Marks = S['Marks'];
export type Pointer = S['Pointer'];
export type FrameHeader = S['FrameHeader'];

export type StoredEvent = S['Event'];
/** Every JSON message of the socket. */
export type Envelope = S['Envelope'];
export type Hello = S['Hello'];

/** A question about the page of the panel that the window shows, and its answer. */
export type SurfaceAsk = S['SurfaceAsk'];
export type SurfaceMarks = S['SurfaceMarks'];
export type SurfaceReply = S['SurfaceReply'];

/** A person's hand on the picture, in CSS pixels of the page's viewport. */
export type Input = With<S['Input'], { type: 'down' | 'up' | 'move' | 'wheel' | 'keydown' | 'keyup' | 'text' }>;
export type ClientMessage = With<
  S['ClientMessage'],
  {
    v: 1;
    kind: 'hello' | 'live.open' | 'live.close' | 'live.ack' | 'input' | 'focus' | 'surface.reply';
    input?: Input;
  }
>;

/** An MCP server as the config has it, and the end of its log. */
export type ServerEntry = S['Entry'];
export type ServerConsents = S['Consents'];
export type ServerDetail = S['MCPServerDetail'];

/** Another program's list of servers: its text, or the path of a file on this machine. */
export interface ServerSource {
  /** The preview's, when it is imported: what has changed since it was shown is not taken over. */
  digest?: string;
  text?: string;
  path?: string;
}
/** What a server may touch on this machine. */
export type ServerMay = S['May'];
export type ServerPreview = S['Preview'];

/** One tab of the terminal panel. */
export type Terminal = With<S['Terminal'], { state: 'idle' | 'waiting' | 'running' | 'ended' | 'failed' }>;
export type TerminalMessage = With<
  S['TerminalMessage'],
  {
    v: 1;
    kind: 'hello' | 'open' | 'stop' | 'again' | 'close' | 'resize' | 'share' | 'watch' | 'leave' | 'drawn';
  }
>;
export type TerminalNews = With<S['TerminalNews'], { kind: string; tabs: Terminal[] }>;

export type Snapshot = With<S['Snapshot'], { approvals: Approval[]; conversations: Conversation[] }>;
export type Transcript = With<S['Transcript'], { conversation: Conversation }>;

export type Hints = S['Hints'];
export type Permission = '' | 'allow' | 'ask' | 'never';
/** What calls of a tool come to, and by which rule. */
export type Stand = With<S['Stand'], { permission: Permission; verdict: 'allow' | 'ask' | 'refuse' | 'depends' }>;
export type ToolInfo = With<S['ToolRow'], { origin: Origin; stand: Stand }>;
export type ToolList = With<S['ToolRows'], { tools: ToolInfo[] }>;
/** What a tool answers (CONTRACT "Results"). */
export type Result = With<S['Result'], { error_type?: ErrorType }>;

/** A declarative page of a panel. */
export type PageTree = S['Tree'];
export type PagePart = S['Part'];
export type PageAction = S['PartAction'];
export type PageSource = S['DataSource'];
export type PanelSetting = S['PanelSetting'];
/** What installing a panel's file would do, or what is wrong with the panel in it. */
export type PanelOffer = S['PanelOffer'];
export type PackageOffer = S['PackageOffer'];
export type EvalOutcome = With<S['Outcome'], { state: 'passed' | 'failed' | 'skipped' }>;
