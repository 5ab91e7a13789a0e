import { t } from '../i18n';
import { acting, follow } from './acting';
import { BackendError, type Backend, type Connection, type SocketHandlers, type TerminalHandlers } from './backend';
import { loopbackApps } from './apps';
import { loopbackDesk } from './desk';
import { loopbackShelf, type Attachment } from './shelf';
import { parseFrame } from './frame';
import { route } from './map';
import { openTerminals } from './terminals';
import {
  callPath,
  type Completion,
  type PilotCommand,
  type ChangedFile,
  type Answer,
  type AuditCheck,
  type AuditPage,
  type CallRow,
  type ClientMessage,
  type Conversation,
  type CreatedTool,
  type Envelope,
  type Grant,
  type RuleDraft,
  type SecretDraft,
  type ProgramList,
  type SecretList,
  type ServerDetail,
  type ServerMay,
  type ServerPreview,
  type ServerSource,
  type ServerConsents,
  type ServerEntry,
  type Hello,
  type Json,
  type Metrics,
  type MetricsRange,
  type Model,
  type EvalOutcome,
  type PanelOffer,
  type Permission,
  type PanelSetting,
  type PageTree,
  type Result,
  type Setting,
  type Snapshot,
  type StoredEvent,
  type Spending,
  type ToolHistory,
  type ToolList,
  type Transcript,
  type UndoableCall,
} from './types';

/** The program on this machine: HTTP for questions and deeds, one WebSocket for what changes. */
export class Loopback implements Backend {
  readonly desk = loopbackDesk((method, path, body) => this.#ask(method, path, body));
  readonly apps = loopbackApps(
    (method, path, body) => this.#ask(method, path, body),
    // A page's own word, which the program takes for nobody else's.
    (method, path, body) => this.#ask(method, path, body, true),
  );
  readonly shelf = loopbackShelf((method, path, body) => this.#ask(method, path, body));

  constructor(private readonly token: string) {}

  state = () => this.#json<Snapshot>('GET', '/api/state');

  events = async (after: number) =>
    (await this.#json<{ events: StoredEvent[] }>('GET', `/api/events?after=${after}&limit=1000`)).events ?? [];

  createConversation = (title: string) => this.#json<Conversation>('POST', '/api/conversations', { title });

  transcript = (id: string) => this.#json<Transcript>('GET', conversation(id));

  renameConversation = async (id: string, title: string) => {
    await this.#ask('PATCH', conversation(id), { title });
  };

  shareConversation = async (id: string, shared: boolean) => {
    await this.#ask('PUT', `${conversation(id)}/shared`, { shared });
  };

  deleteConversation = async (id: string) => {
    await this.#ask('DELETE', conversation(id));
  };

  send = async (
    id: string,
    text: string,
    model: string,
    panel: string,
    when: 'now' | 'next',
    raise = false,
    given: { attached?: Attachment[]; from?: string[] } = {},
  ) => {
    await this.#ask('POST', `${conversation(id)}/messages`, { text, model, panel, when, raise, ...given });
  };

  bill = (id: string) => this.#json<Spending>('GET', `${conversation(id)}/bill`);

  changeWaiting = async (id: string, message: string, when: 'now' | 'next') => {
    await this.#ask('PATCH', waiting(id, message), { when });
  };

  dropWaiting = async (id: string, message: string) => {
    await this.#ask('DELETE', waiting(id, message));
  };

  askWaiting = async (id: string, message: string) => {
    await this.#ask('POST', `${waiting(id, message)}/ask`);
  };

  branch = async (id: string, message: string, text: string, model: string, panel: string) => {
    await this.#ask('POST', `${conversation(id)}/branches`, { message, text, model, panel });
  };

  chooseBranch = async (id: string, branch: string) => {
    await this.#ask('PUT', `${conversation(id)}/branch`, { branch });
  };

  stop = async (id: string) => {
    await this.#ask('POST', `${conversation(id)}/stop`);
  };

  useSummary = async (id: string, message: string, use: boolean) => {
    await this.#ask('PUT', `${conversation(id)}/summaries/${encodeURIComponent(message)}`, { use });
  };

  answer = async (approval: string, answer: Answer, reason: string, hash: string, filled?: Record<string, unknown>) => {
    await this.#ask('POST', `/api/approvals/${encodeURIComponent(approval)}`, { answer, reason, hash, filled });
  };

  cancelCall = async (call: string) => {
    await this.#ask('POST', `/api/calls/${encodeURIComponent(call)}/cancel`);
  };

  calls = async (limit: number) =>
    (await this.#json<{ calls: CallRow[] }>('GET', `/api/calls?limit=${limit}`)).calls ?? [];

  grants = async () => (await this.#json<{ grants: Grant[] }>('GET', '/api/grants')).grants ?? [];

  forbid = async (rule: RuleDraft) => (await this.#json<{ grants: Grant[] }>('POST', '/api/rules', rule)).grants ?? [];
  revoke = async (grant: string) =>
    (await this.#json<{ grants: Grant[] }>('DELETE', `/api/grants/${encodeURIComponent(grant)}`)).grants ?? [];

  audit = (before: number, words: string) =>
    this.#json<AuditPage>('GET', `/api/audit?before=${before}&q=${encodeURIComponent(words)}`);

  verifyAudit = () => this.#json<AuditCheck>('POST', '/api/audit/verify');

  metrics = (range: MetricsRange, origin: string) =>
    this.#json<Metrics>('GET', `/api/metrics?range=${range}${origin && `&origin=${origin}`}`);

  toolHistory = (tool: string, origin: string, range: MetricsRange) =>
    this.#json<ToolHistory>('GET', `/api/metrics/tool?${new URLSearchParams({ tool, origin, range })}`);

  changes = async (turn: string) => {
    const path = `/api/changes?turn=${encodeURIComponent(turn)}`;
    const all = await this.#json<{ files?: ChangedFile[]; calls?: UndoableCall[] }>('GET', path);
    const calls = (all.calls ?? []).map((call): ChangedFile => {
      const { did: shown, state, why } = call;
      return { path: callPath(call.call), shown, did: 'changed', state, why, added: 0, removed: 0, call };
    });
    return [...(all.files ?? []), ...calls];
  };

  undoChanges = (turn: string) => this.#json<Result>('POST', '/api/changes/undo', { turn });

  created = async () => (await this.#json<Created>('GET', '/api/created-tools')).tools ?? [];

  wake = async (tool: string, version: number) =>
    (await this.#json<Created>('POST', `/api/created-tools/${encodeURIComponent(tool)}/wake`, { version })).tools ?? [];

  deleteTool = async (tool: string) =>
    (await this.#json<Created>('DELETE', `/api/created-tools/${encodeURIComponent(tool)}`)).tools ?? [];

  programs = () => this.#json<ProgramList>('GET', '/api/programs');

  dismissProgram = (id: string) => this.#json<ProgramList>('DELETE', `/api/programs/${encodeURIComponent(id)}`);

  secrets = () => this.#json<SecretList>('GET', '/api/secrets');

  putSecret = (name: string, { host, value, places }: SecretDraft) =>
    this.#json<SecretList>('PUT', `/api/secrets/${encodeURIComponent(name)}`, { host, value, places });

  deleteSecret = (name: string) => this.#json<SecretList>('DELETE', `/api/secrets/${encodeURIComponent(name)}`);

  complete = (text: string, panel: string) =>
    this.#json<Completion>('GET', `/api/ai/pilot/complete?${new URLSearchParams({ text, panel })}`);

  pilotGrammar = async () =>
    (await this.#json<{ commands: PilotCommand[] }>('GET', '/api/ai/pilot/grammar')).commands ?? [];

  tools = () => this.#json<ToolList>('GET', '/api/tools');

  permit = (tool: string, permission: Permission) =>
    this.#json<ToolList>('PUT', `/api/tools/${encodeURIComponent(tool)}/permission`, { permission });

  models = async () => (await this.#json<{ models: Model[] }>('GET', '/api/models')).models ?? [];

  setting = (key: string, value: string) =>
    this.#json<Setting>('PUT', `/api/settings/${encodeURIComponent(key)}`, { value });

  resetSetting = (key: string) => this.#json<Setting>('DELETE', `/api/settings/${encodeURIComponent(key)}`);

  blob = async (id: string) => (await this.#ask('GET', `/api/blobs/${encodeURIComponent(id)}`)).blob();

  result = async (handle: string) => (await this.#ask('GET', `/api/results/${encodeURIComponent(handle)}`)).blob();

  execute = (tool: string, args: Json, panel: string) => {
    // What a press of the assistant's on a page of ours leads to is the panel's call, judged by its rights.
    if (acting() && panel) return this.callPanel(panel, tool, args);
    const { method, path } = route('tools_execute');
    return this.#json<Result>(method, path, { tool, args, panelId: panel });
  };

  callPanel = (panel: string, tool: string, args: Json) =>
    this.#json<Result>('POST', `/api/panels/${encodeURIComponent(panel)}/call`, { tool, args }, true);

  panelState = async (panel: string) =>
    (await this.#json<{ state: unknown }>('GET', `/api/panels/${encodeURIComponent(panel)}/state`)).state;
  keepPanelState = async (panel: string, state: unknown) => {
    await this.#ask('PUT', `/api/panels/${encodeURIComponent(panel)}/state`, { state });
  };

  answerPanel = (panel: string, hash: string, take: boolean) =>
    this.#json<void>('POST', `/api/panels/${encodeURIComponent(panel)}/${take ? 'accept' : 'decline'}`, { hash });
  developPanel = (panel: string, on: boolean) =>
    this.#json<void>('POST', `/api/panels/${encodeURIComponent(panel)}/develop`, { on });
  panelSettings = async (panel: string) =>
    (await this.#json<{ settings: PanelSetting[] }>('GET', `/api/panels/${encodeURIComponent(panel)}/config`)).settings;

  setPanelSettings = async (panel: string, values: Json) =>
    (
      await this.#json<{ settings: PanelSetting[] }>('PUT', `/api/panels/${encodeURIComponent(panel)}/config`, {
        values,
      })
    ).settings;

  offerPanel = (archive: string) => this.#json<PanelOffer>('POST', '/api/panels/offer', { archive });
  installPanel = async (archive: string, hash: string) =>
    (await this.#json<{ panel: string }>('POST', '/api/panels/install', { archive, hash })).panel;
  evalPanel = async (panel: string) =>
    (await this.#json<{ outcomes: EvalOutcome[] }>('POST', `/api/panels/${encodeURIComponent(panel)}/eval`)).outcomes;
  pinPanel = (panel: string, pinned: boolean) =>
    this.#json<void>('POST', `/api/panels/${encodeURIComponent(panel)}/pin`, { pinned });
  publishContext = (panel: string, values: Record<string, Json>) =>
    this.#json<void>('PUT', `/api/panels/${encodeURIComponent(panel)}/context`, values);
  panelPage = (panel: string) => this.#json<PageTree>('GET', `/api/panels/${encodeURIComponent(panel)}/page`);

  openPanel = async (panel: string) => {
    const { method, path } = route('panel_open');
    // Which panel is in front changes nothing but what is seen; the assistant may, by a tool of its own.
    await this.#ask(method, path, { panel }, true);
  };

  hand = async (person: boolean) => {
    await this.#ask('POST', '/api/browser/hand', { person });
  };

  startBrowser = async () => {
    await this.#ask('POST', '/api/browser/start');
  };

  toggleServer = async (name: string, enabled: boolean) => {
    const { method, path } = route('mcp_toggle', { name });
    await this.#ask(method, path, { enabled });
  };

  server = (name: string) => this.#json<ServerDetail>('GET', server(name));

  serverMay = (entry: ServerEntry) => this.#json<ServerMay>('POST', '/api/mcp-servers/may', { entry });

  addServer = async (name: string, entry: ServerEntry) => {
    await this.#ask('POST', '/api/mcp-servers', { name, entry });
  };

  changeServer = async (name: string, entry: ServerEntry) => {
    await this.#ask('PUT', server(name), { entry });
  };

  consentServer = async (name: string, consents: ServerConsents) => {
    await this.#ask('PUT', `${server(name)}/consents`, consents);
  };

  removeServer = async (name: string) => {
    await this.#ask('DELETE', server(name));
  };

  restartServer = async (name: string) => {
    await this.#ask('POST', `${server(name)}/restart`);
  };

  previewServers = (source: ServerSource) =>
    this.#json<ServerPreview>('POST', '/api/mcp-servers/import/preview', source);

  importServers = (source: ServerSource, names: string[]) =>
    this.#json<{ added: string[]; skipped: string[] }>('POST', '/api/mcp-servers/import', { ...source, names });

  connect(after: number, handlers: SocketHandlers): Connection {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`);
    socket.binaryType = 'arraybuffer';
    const send = (message: ClientMessage) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    };
    socket.onopen = () => send({ v: 1, kind: 'hello', token: this.token, after });
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== 'string') {
        const frame = parseFrame(data);
        if (frame) handlers.frame(frame);
        return;
      }
      const envelope = JSON.parse(data) as Envelope;
      if (envelope.kind === 'hello') handlers.hello((envelope.data as Hello).seq);
      else if (envelope.kind.startsWith('surface.')) handlers.asked(envelope);
      else if (envelope.kind !== 'error') handlers.event(envelope);
    };
    socket.onclose = () => handlers.closed();
    return { send, close: () => socket.close() };
  }

  terminals = (handlers: TerminalHandlers) => openTerminals(this.token, handlers);

  async #json<T>(method: string, path: string, body?: Json, own = false): Promise<T> {
    return (await (await this.#ask(method, path, body, own)).json()) as T;
  }

  /** With `own` a press of the assistant's may be behind it: the program then takes it for the panel's. */
  async #ask(method: string, path: string, body?: Json, own = false): Promise<Response> {
    if (!acting()) return this.#fetch(method, path, body);
    if (method !== 'GET' && !own) throw new BackendError(403, t('surface.refused'), '');
    return follow(this.#fetch(method, path, body));
  }

  async #fetch(method: string, path: string, body?: Json): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let answer: Response;
    try {
      answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    } catch {
      throw new BackendError(0, 'no answer', '');
    }
    if (!answer.ok) throw await problem(answer);
    return answer;
  }
}

interface Created {
  tools: CreatedTool[];
}

const server = (name: string) => `/api/mcp-servers/${encodeURIComponent(name)}`;
const conversation = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;
const waiting = (id: string, message: string) => `${conversation(id)}/waiting/${encodeURIComponent(message)}`;

async function problem(answer: Response): Promise<BackendError> {
  try {
    const { title = answer.statusText, detail = '' } = (await answer.json()) as { title?: string; detail?: string };
    return new BackendError(answer.status, title, detail);
  } catch {
    return new BackendError(answer.status, answer.statusText || String(answer.status), '');
  }
}
