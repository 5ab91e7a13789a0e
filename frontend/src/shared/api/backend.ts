import { assistantIsActing } from './assistantaction';
import { createBatchesApi } from './batches';
import { bodyOf, createApiClient, awaitSuccess } from './client';
import { createFilesApi } from './files';
import { PATHS } from './navigation';
import { createServerAppsApi } from './serverapps';
import { createServerResourcesApi } from './serverresources';
import { connect, type SocketHandlers } from './socket';
import { openTerminals, type TerminalHandlers } from './terminals';
import { undoPath } from './types';
import type {
  Attachment,
  AttachedFile,
  Answer,
  ChangedFile,
  Clipboard,
  ExportFormat,
  Json,
  MetricsRange,
  Origin,
  Permission,
  Recipe,
  RecipeSource,
  WantedValue,
  RuleDraft,
  SecretDraft,
  ServerConsents,
  ServerEntry,
  ServerSource,
  PermissionCard,
  ScheduleDraft,
} from './types';

/** The window's requests to the program, which reject with a BackendError, and its WebSockets. */
export type Backend = ReturnType<typeof createBackend>;

/** Selects a part of a conversation: about `limit` of the newest messages, or those before, after or around an event. */
export interface TranscriptQuery {
  limit?: number;
  before?: number;
  after?: number;
  around?: number;
}

/** Creates the client of the program that serves this page. `token` is the window's. */
export function createBackend(token: string) {
  const client = createApiClient(token);
  const byId = (id: string) => ({ params: { path: { id } } });
  const byName = (name: string) => ({ params: { path: { name } } });
  const waiting = (id: string, message: string) => ({ params: { path: { id, message } } });

  const callPanel = (panel: string, tool: string, args: Json) =>
    bodyOf(client.POST('/api/panels/{id}/call', { ...byId(panel), body: { tool, args } }));

  return {
    files: createFilesApi(client),
    batches: createBatchesApi(client),
    apps: createServerAppsApi(client),
    resources: createServerResourcesApi(client),

    state: () => bodyOf(client.GET('/api/state')),
    connect: (after: number, handlers: SocketHandlers) => connect(token, after, handlers),
    /** Connects to the terminals of the person and of the assistant. */
    terminals: (handlers: TerminalHandlers) => openTerminals(token, handlers),

    // Conversations
    createConversation: (title: string) => bodyOf(client.POST('/api/conversations', { body: { title } })),
    transcript: (id: string, query: TranscriptQuery = {}) =>
      bodyOf(client.GET('/api/conversations/{id}', { params: { path: { id }, query } })),
    /** Pins, archives or files a conversation. */
    fileConversation: (id: string, change: { pinned?: boolean; archived?: boolean; folder?: string }) =>
      awaitSuccess(client.PATCH('/api/conversations/{id}', { ...byId(id), body: change })),
    /** Returns a conversation as a file. With `veil`, its secrets are hidden. */
    exportConversation: (id: string, format: ExportFormat, veil: boolean): Promise<Blob> =>
      bodyOf(
        client.GET('/api/conversations/{id}/export', {
          params: { path: { id }, query: { format, veil } },
          parseAs: 'blob',
        }),
      ) as Promise<Blob>,
    /** Adds the conversations of an export of Sextant, ChatGPT or Claude. */
    importConversations: (file: Blob) =>
      bodyOf(
        client.POST('/api/conversations/import', {
          body: file as unknown as string,
          bodySerializer: (body: unknown) => body as Blob,
        }),
      ),
    renameConversation: (id: string, title: string) =>
      awaitSuccess(client.PATCH('/api/conversations/{id}', { ...byId(id), body: { title } })),
    /** Lets other programs read a conversation over MCP, or stops that. */
    shareConversation: (id: string, shared: boolean) =>
      awaitSuccess(client.PUT('/api/conversations/{id}/shared', { ...byId(id), body: { shared } })),
    deleteConversation: (id: string) => awaitSuccess(client.DELETE('/api/conversations/{id}', byId(id))),
    /**
     * Starts a turn. While another turn runs, the message waits for that turn's next step ("now") or its end ("next").
     * `raise` raises the conversation's budget by its amount.
     */
    send: (
      id: string,
      text: string,
      model: string,
      panel: string,
      when: 'now' | 'next',
      raise = false,
      context: { attached?: Attachment[]; from?: string[]; files?: AttachedFile[] } = {},
    ) => {
      const files = context.files?.map(({ blob, name, source }) => ({ blob, name, source }));
      const body = { text, model, panel, when, raise, ...context, files };
      return awaitSuccess(client.POST('/api/conversations/{id}/messages', { ...byId(id), body }));
    },
    /** Searches messages, in one conversation or, with "", in all of them. Returns the newest hits. */
    search: (query: string, conversation: string, limit: number) =>
      bodyOf(client.GET('/api/search', { params: { query: { q: query, conversation, limit } } })),
    /** Stores a file to attach to a message, and returns what it is and what it costs. */
    storeFile: (name: string, content: Blob) =>
      bodyOf(
        client.POST('/api/attachments', {
          params: { query: { name } },
          body: content as unknown as string,
          bodySerializer: (body: unknown) => body as Blob,
          headers: { 'Content-Type': 'application/octet-stream' },
        }),
      ),
    /** Stores a workspace file, or a list of what is in a folder, to attach it to a message. */
    storeWorkspaceFile: (path: string) => bodyOf(client.POST('/api/attachments/workspace', { body: { path } })),
    bill: (id: string) => bodyOf(client.GET('/api/conversations/{id}/bill', byId(id))),
    changeWaiting: (id: string, message: string, when: 'now' | 'next') =>
      awaitSuccess(
        client.PATCH('/api/conversations/{id}/waiting/{message}', { ...waiting(id, message), body: { when } }),
      ),
    dropWaiting: (id: string, message: string) =>
      awaitSuccess(client.DELETE('/api/conversations/{id}/waiting/{message}', waiting(id, message))),
    askWaiting: (id: string, message: string) =>
      awaitSuccess(client.POST('/api/conversations/{id}/waiting/{message}/ask', waiting(id, message))),
    /** Sends a message again in a new branch. With "" its text is unchanged. */
    branch: (id: string, message: string, text: string, model: string, panel: string) =>
      awaitSuccess(
        client.POST('/api/conversations/{id}/branches', { ...byId(id), body: { message, text, model, panel } }),
      ),
    /** Activates a branch. The id of the first branch is "". */
    chooseBranch: (id: string, branch: string) =>
      awaitSuccess(client.PUT('/api/conversations/{id}/branch', { ...byId(id), body: { branch } })),
    stop: (id: string) => awaitSuccess(client.POST('/api/conversations/{id}/stop', byId(id))),
    /** Sends the model a summary or, if `use` is false, the messages it replaces. */
    useSummary: (id: string, message: string, use: boolean) =>
      awaitSuccess(
        client.PUT('/api/conversations/{id}/summaries/{message}', { ...waiting(id, message), body: { use } }),
      ),
    /** Completes the text before the cursor of a message to the pilot. */
    complete: (text: string, panel: string) =>
      bodyOf(client.GET('/api/ai/pilot/complete', { params: { query: { text, panel } } })),
    pilotGrammar: async () => (await bodyOf(client.GET('/api/ai/pilot/grammar'))).commands ?? [],
    /** Returns the models of a service at an address with a key, which are not saved. */
    tryService: async (provider: string, address: string, key: string) =>
      (await bodyOf(client.POST('/api/models/try', { body: { provider, base_url: address, key } }))).models ?? [],
    models: async () => (await bodyOf(client.GET('/api/models'))).models ?? [],

    // Calls, permissions and records
    answer: (
      approval: string,
      answer: Answer,
      reason: string,
      hash: string,
      entered: { filled?: Record<string, unknown>; edited?: string } = {},
    ) =>
      awaitSuccess(
        client.POST('/api/approvals/{id}', { ...byId(approval), body: { answer, reason, hash, ...entered } }),
      ),
    cancelCall: (call: string) => awaitSuccess(client.POST('/api/calls/{id}/cancel', byId(call))),
    calls: async (limit: number) =>
      (await bodyOf(client.GET('/api/calls', { params: { query: { limit } } }))).calls ?? [],
    instructions: () => bodyOf(client.GET('/api/instructions')),
    /** Changes the instructions for a folder, or with "" for everywhere, and returns all. An empty text removes them. */
    setInstructions: (folder: string, text: string) =>
      bodyOf(client.PUT('/api/instructions', { body: { folder, text } })),
    /** Replaces a prompt note, and returns all. An empty text removes it. */
    replacePromptNote: (note: string, text: string) =>
      bodyOf(client.PUT('/api/prompt-notes', { body: { note, text } })),
    grants: async () => (await bodyOf(client.GET('/api/grants'))).grants ?? [],
    /** Creates a deny rule, and returns all grants and rules. */
    forbid: async (rule: RuleDraft) => (await bodyOf(client.POST('/api/rules', { body: rule }))).grants ?? [],
    /** Revokes a grant, and returns the remaining grants and rules. */
    revoke: async (grant: string) => (await bodyOf(client.DELETE('/api/grants/{id}', byId(grant)))).grants ?? [],
    /** Returns the calls before `before` (0 for the newest calls) that contain all of the words. */
    audit: (before: number, words: string) =>
      bodyOf(client.GET('/api/audit', { params: { query: { before, q: words } } })),
    verifyAudit: () => bodyOf(client.POST('/api/audit/verify')),
    /** Returns the metrics of a range, for calls of one origin or, with "", of all origins. */
    metrics: (range: MetricsRange, origin: Origin | '') =>
      bodyOf(client.GET('/api/metrics', { params: { query: { range, origin: origin || undefined } } })),
    toolHistory: (tool: string, origin: string, range: MetricsRange) =>
      bodyOf(client.GET('/api/metrics/tool', { params: { query: { tool, origin, range } } })),
    /** Returns the file changes of a turn, and its calls that a panel can undo. */
    changes: async (turn: string): Promise<ChangedFile[]> => {
      const { files, calls } = await bodyOf(client.GET('/api/changes', { params: { query: { turn } } }));
      const undoable = (calls ?? []).map((call): ChangedFile => {
        const { did: shown, state, why } = call;
        return { path: undoPath(call.call), shown, did: 'changed', state, why, added: 0, removed: 0, call };
      });
      return [...(files ?? []), ...undoable];
    },
    undoChanges: (turn: string) => bodyOf(client.POST('/api/changes/undo', { body: { turn } })),
    /** Returns the text of a stored result. */
    result: (handle: string): Promise<Blob> =>
      bodyOf(client.GET('/api/results/{id}', { ...byId(handle), parseAs: 'blob' })),
    blob: (id: string): Promise<Blob> => bodyOf(client.GET('/api/blobs/{id}', { ...byId(id), parseAs: 'blob' })),

    // Tools
    tools: () => bodyOf(client.GET('/api/tools')),
    /** Sets the permission for every call of a tool, "" to leave it to the rules. Returns all tools. */
    permit: (tool: string, permission: Permission) =>
      bodyOf(client.PUT('/api/tools/{name}/permission', { ...byName(tool), body: { permission } })),
    /**
     * Runs a tool for the person. A call that an action of the assistant causes is made as the panel instead, or
     * refused if `panel` is "".
     */
    execute: (tool: string, args: Json, panel: string) =>
      assistantIsActing() && panel
        ? callPanel(panel, tool, args)
        : bodyOf(client.POST(PATHS.execute, { body: { tool, args, panelId: panel } })),
    created: async () => (await bodyOf(client.GET('/api/created-tools'))).tools ?? [],
    /** Enables the version of a created tool that the person has read. */
    enableTool: async (tool: string, version: number) =>
      (await bodyOf(client.POST('/api/created-tools/{id}/enable', { ...byId(tool), body: { version } }))).tools ?? [],
    deleteTool: async (tool: string) =>
      (await bodyOf(client.DELETE('/api/created-tools/{id}', byId(tool)))).tools ?? [],

    // Settings, secrets, programs
    setting: (key: string, value: string) =>
      bodyOf(client.PUT('/api/settings/{key}', { params: { path: { key } }, body: { value } })),
    /** Removes the value that was set in the window, so that the value of the next source applies. */
    resetSetting: (key: string) => bodyOf(client.DELETE('/api/settings/{key}', { params: { path: { key } } })),
    secrets: () => bodyOf(client.GET('/api/secrets')),
    putSecret: (name: string, { host, value, places }: SecretDraft) =>
      bodyOf(client.PUT('/api/secrets/{name}', { ...byName(name), body: { host, value, places } })),
    deleteSecret: (name: string) => bodyOf(client.DELETE('/api/secrets/{name}', byName(name))),
    /** Returns the programs that are connected over MCP, and the data for connecting others. */
    programs: () => bodyOf(client.GET('/api/programs')),
    dismissProgram: (id: string) => bodyOf(client.DELETE('/api/programs/{id}', byId(id))),

    // Backups
    backups: () => bodyOf(client.GET('/api/backups')),
    /** Makes today's backup now. */
    makeBackup: () => bodyOf(client.POST('/api/backups')),
    /** Makes the next start restore a backup. "" withdraws the request. */
    requestBackup: (name: string) => bodyOf(client.PUT('/api/backups/requested', { body: { name } })),

    // Recipes
    recipes: () => bodyOf(client.GET('/api/recipes')),
    /** Returns the recipe that repeats what is in `source`. It is not saved. */
    draftRecipe: (source: RecipeSource) => bodyOf(client.POST('/api/recipes/draft', { body: source })),
    /** Returns a recipe as a test for @playwright/test. */
    recipeAsTest: (name: string) => bodyOf(client.GET('/api/recipes/{id}/playwright', byId(name))),
    /** Returns the step that reads a value of the open page again. It is not saved. */
    findRecipeValue: (wanted: WantedValue) => bodyOf(client.POST('/api/recipes/value', { body: wanted })),
    /** Returns the elements of the open page that a step could use, the most similar first. */
    recipeElements: (name: string, step: number) =>
      bodyOf(client.GET('/api/recipes/{id}/elements', { params: { path: { id: name }, query: { step } } })),
    /** Saves the elements that the last run used in place of lost ones. */
    saveReplacements: (name: string) => awaitSuccess(client.POST('/api/recipes/{id}/replacements', byId(name))),
    endRecipeRun: (name: string) => awaitSuccess(client.DELETE('/api/recipes/{id}/run', byId(name))),
    saveRecipe: (recipe: Recipe) => bodyOf(client.PUT('/api/recipes', { body: recipe })),
    deleteRecipe: (name: string) => awaitSuccess(client.DELETE('/api/recipes/{id}', byId(name))),

    // Schedules
    schedules: () => bodyOf(client.GET('/api/schedules')),
    saveSchedule: (draft: ScheduleDraft) => bodyOf(client.PUT('/api/schedules', { body: draft })),
    /** Returns the next times of a schedule that need not be saved. */
    upcomingTimes: (when: ScheduleDraft['when'], id?: string) =>
      bodyOf(client.POST('/api/schedules/times', { body: { when, id } })),
    /** Returns the runs of a schedule, newest first. */
    scheduledRuns: (id: string) => bodyOf(client.GET('/api/schedules/{id}/runs', byId(id))),
    /** Signs the permission card for the plan with this digest. The schedule runs from then on. */
    signSchedule: (id: string, digest: string, card: PermissionCard) =>
      awaitSuccess(client.POST('/api/schedules/{id}/sign', { ...byId(id), body: { digest, card } })),
    /** Runs a schedule now. A watched run asks the person. */
    runSchedule: (id: string, watched: boolean) =>
      bodyOf(client.POST('/api/schedules/{id}/run', { ...byId(id), body: { watched } })),
    pauseSchedule: (id: string) => awaitSuccess(client.POST('/api/schedules/{id}/pause', byId(id))),
    resumeSchedule: (id: string) => awaitSuccess(client.POST('/api/schedules/{id}/resume', byId(id))),
    /** Makes a new token for a schedule's webhook, and returns it with the path of the webhook. */
    renewToken: (id: string) => bodyOf(client.POST('/api/schedules/{id}/token', byId(id))),
    deleteSchedule: (id: string) => awaitSuccess(client.DELETE('/api/schedules/{id}', byId(id))),
    stopScheduledRun: (run: string) => awaitSuccess(client.POST('/api/schedules/runs/{id}/stop', byId(run))),

    // Panels
    openPanel: (panel: string) => awaitSuccess(client.POST(PATHS.openPanel, { body: { panel } })),
    pinPanel: (panel: string, pinned: boolean) =>
      awaitSuccess(client.POST('/api/panels/{id}/pin', { ...byId(panel), body: { pinned } })),
    /** Runs a tool as the panel's page: one of the panel's tools, or a tool that its manifest names. */
    callPanel,
    /** Returns the declarative page of a panel. */
    panelPage: (panel: string) => bodyOf(client.GET('/api/panels/{id}/page', byId(panel))),
    /** Returns the state that a panel's page has saved, null for none. */
    panelState: async (panel: string) => (await bodyOf(client.GET('/api/panels/{id}/state', byId(panel)))).state,
    savePanelState: (panel: string, state: unknown) =>
      awaitSuccess(client.PUT('/api/panels/{id}/state', { ...byId(panel), body: { state } })),
    /** Accepts or declines the pending change of a panel, which `hash` identifies. */
    answerPanelChange: (panel: string, hash: string, take: boolean) =>
      awaitSuccess(
        client.POST(take ? '/api/panels/{id}/accept' : '/api/panels/{id}/decline', { ...byId(panel), body: { hash } }),
      ),
    /**
     * Accepts changes of a panel's tools without asking until Sextant is closed, or asks again if `on` is false.
     * Changes of permissions and commands always ask.
     */
    developPanel: (panel: string, on: boolean) =>
      awaitSuccess(client.POST('/api/panels/{id}/develop', { ...byId(panel), body: { on } })),
    /** Returns the settings of a panel, without the values of sensitive settings. */
    panelSettings: async (panel: string) => (await bodyOf(client.GET('/api/panels/{id}/config', byId(panel)))).settings,
    /** Sets values by name. Null restores a default. */
    setPanelSettings: async (panel: string, values: Record<string, Json>) =>
      (await bodyOf(client.PUT('/api/panels/{id}/config', { ...byId(panel), body: { values } }))).settings,
    /** Returns what installing a panel file would do. `archive` is the file in Base64. */
    previewPanel: (archive: string) => bodyOf(client.POST('/api/panels/preview', { body: { archive } })),
    /** Installs a panel file whose preview had this hash, and returns the panel's id. */
    installPanel: async (archive: string, hash: string) =>
      (await bodyOf(client.POST('/api/panels/install', { body: { archive, hash } }))).panel,
    /** Runs the evals of a panel and returns their outcomes. */
    evalPanel: async (panel: string) => (await bodyOf(client.POST('/api/panels/{id}/eval', byId(panel)))).outcomes,
    /** Publishes the values that a panel shows, by the keys of its manifest. They replace all earlier values. */
    publishContext: (panel: string, values: Record<string, Json>) =>
      awaitSuccess(client.PUT('/api/panels/{id}/context', { ...byId(panel), body: values })),

    // Browser
    /** Gives control of the page to the person, or back to the assistant. */
    takeOver: (person: boolean) => awaitSuccess(client.POST('/api/browser/control', { body: { person } })),
    /** Returns the servers that run in the workspace. */
    localServers: () => bodyOf(client.GET('/api/browser/local-servers')),
    /** Returns visited pages with the words of `query`: the latest first, or with `suggest` those visited often. */
    visits: async (query: string, suggest: boolean, limit: number) =>
      (await bodyOf(client.GET('/api/browser/history', { params: { query: { query, suggest, limit } } }))).visits ?? [],
    /** Deletes a visited page, a site with its cookies and storage, or all visited pages. */
    deleteVisits: (query: { url?: string; site?: string }) =>
      awaitSuccess(client.DELETE('/api/browser/history', { params: { query } })),
    /** Returns the sites that stored cookies. */
    storedSites: () => bodyOf(client.GET('/api/browser/sites')),
    /** Deletes the cookies, the storage and the cache of all sites. */
    deleteStoredSites: () => awaitSuccess(client.DELETE('/api/browser/sites')),
    startBrowser: () => awaitSuccess(client.POST('/api/browser/start')),
    /** Takes what the person copied last on the page. */
    copiedOnPage: () => bodyOf(client.POST('/api/browser/copied')),
    pasteIntoPage: (content: Clipboard) => awaitSuccess(client.POST('/api/browser/paste', { body: content })),
    /** Stores a file for `givePageFiles` and returns its id. */
    storePageFile: async (name: string, content: Blob) => {
      const sent = client.POST('/api/browser/files', {
        params: { query: { name } },
        body: content as unknown as string,
        bodySerializer: (body: unknown) => body as Blob,
        headers: { 'Content-Type': 'application/octet-stream' },
      });
      return (await bodyOf(sent)).id;
    },
    /** Gives stored files to the page's open file chooser, or drops them at a point of the page. */
    givePageFiles: (files: string[], at?: { x: number; y: number }) =>
      awaitSuccess(client.POST('/api/browser/give', { body: at ? { files, at } : { files } })),
    /** Chooses the option `selected` in the list that is open on the page, or sets `value` in another picker. */
    pickOnPage: (id: number, selected: number, value: string) =>
      awaitSuccess(client.POST('/api/browser/pick', { body: { id, selected, value } })),
    /** Finds text in the page. `show` is the index of the match to show, -1 for the first one from here on. */
    findInPage: (text: string, show: number, scroll: boolean) =>
      bodyOf(client.POST('/api/browser/find', { body: { text, show, scroll } })),
    moveTab: (tab: number, to: number) => awaitSuccess(client.POST('/api/browser/tabs/move', { body: { tab, to } })),
    zoomPage: (percent: number) => awaitSuccess(client.POST('/api/browser/zoom', { body: { percent } })),

    // MCP servers
    toggleServer: (name: string, enabled: boolean) =>
      awaitSuccess(client.POST(PATHS.toggleServer, { ...byName(name), body: { enabled } })),
    server: (name: string) => bodyOf(client.GET('/api/mcp-servers/{name}', byName(name))),
    /** Returns what a server with this entry may access. */
    serverAccess: (entry: ServerEntry) => bodyOf(client.POST('/api/mcp-servers/access', { body: { entry } })),
    addServer: (name: string, entry: ServerEntry) =>
      awaitSuccess(client.POST('/api/mcp-servers', { body: { name, entry } })),
    changeServer: (name: string, entry: ServerEntry) =>
      awaitSuccess(client.PUT('/api/mcp-servers/{name}', { ...byName(name), body: { entry } })),
    consentServer: (name: string, consents: ServerConsents) =>
      awaitSuccess(client.PUT('/api/mcp-servers/{name}/consents', { ...byName(name), body: consents })),
    removeServer: (name: string) => awaitSuccess(client.DELETE('/api/mcp-servers/{name}', byName(name))),
    restartServer: (name: string) => awaitSuccess(client.POST('/api/mcp-servers/{name}/restart', byName(name))),
    /** Returns the servers that importing another program's list would add. Nothing is written. */
    previewServers: (source: ServerSource) => bodyOf(client.POST('/api/mcp-servers/import/preview', { body: source })),
    /** Adds the named servers of another program's list, or all if `names` is empty. They are switched off. */
    importServers: (source: ServerSource, names: string[]) =>
      bodyOf(client.POST('/api/mcp-servers/import', { body: { ...source, names } })),
  };
}
