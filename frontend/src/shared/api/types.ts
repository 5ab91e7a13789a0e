// Names for the generated types of the program's API. Other files use the types of schema.gen only through this one.
import type { components } from './schema.gen';

type S = components['schemas'];

/** Any JSON value. */
export type Json = unknown;

export type Origin = S['ToolOrigin'];
export type Caller = S['Caller'];
export type ErrorType = S['ErrorType'];
export type CallStatus = S['CallStatus'];
export type Answer = S['ApprovalChoice'];
export type Permission = S['Permission'];
export type MetricsRange = S['MetricsRange'];

// Events

/** An event. `kind` determines the type of `data`. */
export type StoredEvent = S['Event'];
export type EventKind = StoredEvent['kind'];
/** What a sextant:// link shows. */
export type Link = EventOf<'link.opened'>['data'];
/** An event of one kind, or of a union of kinds. */
export type EventOf<K extends EventKind> = Extract<StoredEvent, { kind: K }>;
/** Every JSON message of the event stream. */
export type Envelope = S['Envelope'];
/** A request about the page of the panel that is shown, or its cancellation. */
export type SurfaceEnvelope = Extract<Envelope, { kind: 'surface.ask' | 'surface.cancel' }>;
export type SurfaceRequest = S['SurfaceRequest'];
export type SurfaceMarks = S['SurfaceMarks'];
export type SurfaceReply = S['SurfaceReply'];
export type ClientMessage = Omit<S['ClientMessage'], 'v'> & { v: 1 };
/** The person's input on the live view, in CSS pixels of the page's viewport. */
export type Input = S['Input'];
export type FrameHeader = S['FrameHeader'];

// Conversations

export type Conversation = S['Conversation'];
export type Transcript = S['Transcript'];
export type Message = S['Message'];
export type Turn = S['Turn'];
/** A message that was sent while a turn was running and has not been added to a turn yet. */
export type WaitingMessage = S['WaitingMessage'];
export type ExportFormat = 'markdown' | 'html' | 'json';
export type SearchPage = S['SearchPage'];
export type SearchHit = S['SearchHit'];
export type SnippetPart = S['SnippetPart'];
export type Offer = S['Offer'];
export type Model = S['Model'];
export type Completion = S['Completion'];
export type CompletionItem = S['CompletionItem'];
export type PilotCommand = S['PilotCommand'];
/** Text of an MCP server that is attached to a message. */
export type Attachment = S['ServerAttachment'];
/** A file that the program has stored, and that a message can attach. */
export type StoredFile = S['File'];
/** A file to send with a message. `source` is the origin of the page that it shows. */
export type AttachedFile = StoredFile & { source?: string };
export type Bill = S['Bill'];
export type Spending = S['Spending'];
export type Budget = S['Budget'];

// Calls

export type Result = S['Result'];
export type StoredResult = S['StoredText'];
export type CallRow = S['CallRow'];
export type CallEnd = S['CallEnd'];
export type Approval = S['Approval'];
export type ApprovalAnswer = S['ApprovalAnswer'];
export type FormField = S['FormField'];
export type UndoableCall = S['UndoableCall'];
/** A file change of a turn or, if `call` is set, a call that its panel can undo and that `shown` describes. */
export type ChangedFile = S['ChangedFile'] & { call?: UndoableCall };
/** Returns the `path` of a ChangedFile that is an undoable call. */
export const undoPath = (call: string) => `call:${call}`;
export type AuditCheck = S['AuditCheck'];
export type Metrics = S['Metrics'];
export type ToolMetrics = S['ToolMetrics'];
export type ModelMetrics = S['ModelMetrics'];
export type ToolHistory = S['ToolHistory'];

// Tools and permissions

export type ToolInfo = S['ToolRow'];
export type ToolList = S['ToolRows'];
export type CreatedTool = S['CreatedTool'];
export type Grant = S['GrantRow'];
export type RuleDraft = S['RuleDraft'];
export type SecretInfo = S['Secret'];
export type SecretList = S['SecretList'];

/** What is added to the assistant's built-in prompt. */
export type PromptAdditions = S['PromptAdditions'];
export type FolderText = S['FolderText'];
export interface SecretDraft {
  host: string;
  value: string;
  places: string[];
}
export type ProgramList = S['Programs'];
export type BackupList = S['BackupList'];
export type RecipeList = S['RecipeList'];
/** A recipe with its tool and what each step does. */
export type ListedRecipe = S['ListedRecipe'];
export type Recipe = S['Recipe'];
/** A batch with how many of its rows have each status. */
export type ListedBatch = S['ListedBatch'];
export type BatchRow = S['Row'];
export interface BatchDraft {
  recipe: string;
  name: string;
  /** The file with the table in base64. */
  table: string;
  values: Record<string, string>;
  browsers: number;
  per_host: number;
}
export type ScheduleList = S['ScheduleList'];
/** A schedule with its plan, its next time and its newest run. */
export type ListedSchedule = S['ListedSchedule'];
export type Schedule = S['Schedule'];
/** What a person enters of a schedule. A new one has no id. */
export type ScheduleDraft = Pick<Schedule, 'name' | 'task' | 'when' | 'missed'> & { id?: string };
export type ScheduledRun = ScheduleRuns['runs'][number];
type ScheduleRuns = S['ScheduledRuns'];
/** What the calls of a run may use. */
export type PermissionCard = NonNullable<Schedule['card']>;
/** The next times of a schedule. */
export type UpcomingTimes = S['Upcoming'];
/** A value of the open page that a run of a recipe shall return. */
export type WantedValue = S['Post-api-recipes-valueRequest'];
/** An element of the open page, with its number. */
export type PageElement = S['Candidate'];
/** How far a run of a recipe came. */
export type LastRun = S['LastRun'];
/**
 * What a recipe repeats: a turn, a whole conversation, or what happened after the event `since`: some calls, or what the
 * person did by hand.
 */
export interface RecipeSource {
  conversation?: string;
  turn?: string;
  since?: number;
  calls?: string[];
}

// Panels

export type Panel = S['Panel'];
export type ActivityBar = S['ActivityBar'];
export type PageTree = S['Tree'];
export type PagePart = S['Part'];
export type PageAction = S['PartAction'];
export type PageSource = S['DataSource'];
export type PanelSetting = S['PanelSetting'];
export type PanelOffer = S['PanelOffer'];
export type EvalOutcome = S['Outcome'];
/** An address that a page asked to open and the person agreed to, and the server or panel of the page. */
export type PageLink = { url: string } & ({ server: string } | { panel: string });
/** The context that a page gives the model: the params of ui/update-model-context. */
export interface ModelContext {
  content?: unknown;
  structuredContent?: unknown;
}

// Browser and terminals

export type Tab = S['Tab'];
export type Download = S['Download'];
export type BrowserState = S['BrowserState'];
export type MarkElement = S['Element'];
export type Marks = S['Marks'];
export type Pointer = S['Pointer'];
export type PagePoint = S['PagePoint'];
export type Picker = S['Picker'];
export type Clipboard = S['Clipboard'];
export type Found = S['Found'];
export type Terminal = S['Terminal'];
export type TerminalMessage = Omit<S['TerminalMessage'], 'v'> & { v: 1 };
export type TerminalUpdate = S['TerminalUpdate'];

// Files

export type FileText = S['FileText'];
export type FolderRow = S['FolderRow'];
export type Folder = S['Folder'];
export type TrashItem = S['TrashItem'];
export type EditorTab = S['EditorTab'];
export type EditorState = S['EditorState'];
export type EditorDraft = S['EditorDraft'];
/** The editor's tabs and unsaved texts. */
export type EditorSession = S['EditorSession'];
export type Note = S['Note'];
export type Bookmark = S['Bookmark'];
export type Visit = S['Visit'];
export type LocalServer = S['LocalServer'];
export type SiteData = S['SiteData'];

// MCP servers

export type MCPServer = S['MCPServer'];
export type ServerEntry = S['Entry'];
export type ServerConsents = S['Consents'];
export type ServerDetail = S['MCPServerDetail'];
/** A server's access to this machine. */
export type ServerAccess = S['Access'];
export type ServerPreview = S['Preview'];
/** Another program's list of servers: as text, or as the path of a file on this machine. */
export interface ServerSource {
  /** The digest from the preview. The import is refused if the source has changed since. */
  digest?: string;
  text?: string;
  path?: string;
}
/** A page of an MCP server that shows a call. */
export type ServerApp = S['App'];
type ServerResource = S['Resource'];
export type ServerTemplate = S['ResourceTemplate'];
export type ServerPrompt = S['ServerPrompt'] & { arguments: S['PromptArgument'][] };
export interface ServerOffers {
  resources: ServerResource[];
  templates: ServerTemplate[];
  prompts: ServerPrompt[];
  /** Whether the server completes arguments. */
  completes: boolean;
}
export type ResourcePart = S['Content'];
export interface ResourceText {
  contents: ResourcePart[];
  cut: boolean;
}
export interface PromptDraft {
  text: string;
  attached: Attachment[];
  left: string[];
}
/** The argument being typed, and the values of the other arguments. */
export type ArgumentQuery = S['CompleteBody'];

// The state of the window

export type Setting = S['Setting'];
export type Banner = S['Banner'];
export type Disk = S['Disk'];
export type Snapshot = S['Snapshot'];
