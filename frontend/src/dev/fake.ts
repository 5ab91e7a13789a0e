import type { Backend } from '../shared/api/backend';
import type {
  Answer,
  ClientMessage,
  Conversation,
  EventKind,
  EventOf,
  MetricsRange,
  PageTree,
  Result,
  StoredEvent,
  StoredFile,
  WantedValue,
  ListedBatch,
} from '../shared/api/types';
import { BackendError } from '../shared/api/client';
import type { Connection, SocketHandlers } from '../shared/api/socket';
import { serverApps } from './serverapps';
import { commands } from './commands';
import { filesApi } from './filesapi';
import { serverResources } from './serverresources';
import { changes } from './files';
import { bill, metrics, toolHistory } from './figures';
import { playTerminals } from './terminals';
import { search } from './search';
import { drawShop } from './shop';
import { backups } from './backups';
import { recipes } from './recipes';
import { batches, batchRows } from './batches';
import { scheduledRun, schedules } from './schedules';
import { programs } from './programs';
import { created, grants, promptAdditions, secrets, snapshot, tools, transcript } from './scenario';

/** Returns a Backend that plays the named scenario. Only for development and tests: production builds omit it. */
export function fakeBackend(scenario: string): Backend {
  return new Fake(scenario);
}

class Fake implements Backend {
  readonly files = filesApi();
  readonly apps = serverApps();
  readonly resources = serverResources();
  #handlers: SocketHandlers | null = null;
  #size = { width: 0, height: 0 };
  #scroll = 0;
  #frame = 0;
  #seq = 1000;
  #requestedBackup = '';
  #undone = false;

  constructor(private readonly scenario: string) {
    if (scenario === 'refused') throw new BackendError(401, 'refused', '');
    const resumes = !['home', 'empty', 'error', 'own', 'off', 'wide'].includes(scenario);
    if (resumes) localStorage.setItem('sextant.conversation', 't1');
    else localStorage.removeItem('sextant.conversation');
  }

  state = async () => {
    if (this.scenario === 'slow') await new Promise((done) => setTimeout(done, 4000));
    if (this.scenario === 'gone') throw new BackendError(0, 'no answer', '');
    return snapshot(this.scenario);
  };

  connect(_after: number, handlers: SocketHandlers): Connection {
    this.#handlers = handlers;
    setTimeout(() => (this.scenario === 'lost' ? handlers.closed() : handlers.hello(10)), 20);
    return { send: (message) => this.#hear(message), close: () => {} };
  }

  #hear(message: ClientMessage): void {
    if (message.kind === 'live.open') {
      this.#size = { width: message.width ?? 0, height: message.height ?? 0 };
      void this.#draw();
    }
    if (message.kind === 'input' && message.input?.type === 'wheel') {
      this.#scroll = Math.max(0, this.#scroll + (message.input.dy ?? 0));
      void this.#draw();
    }
  }

  async #draw(): Promise<void> {
    const { width, height } = this.#size;
    if (!width || !height) return;
    const canvas = new OffscreenCanvas(width, height);
    const c = canvas.getContext('2d');
    if (!c) return;
    const elements = drawShop(c, width, height, this.#scroll);
    const picture = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.92 });
    const header = { frame: ++this.#frame, tab: 1, width, height, scroll_x: 0, scroll_y: this.#scroll };
    this.#handlers?.frame({ header, picture });
    const page = { title: 'Desk lamps', url: 'https://shop.example/lamps/desk?max=80&stock=1', version: 14, tab: 1 };
    setTimeout(() => {
      const below = elements.filter((e) => !e.in_view).length;
      this.#emit('marks.changed', { page, elements, above: 0, below, width, height, settled_ms: 38, on: true });
      this.#emit('pointer.moved', { tab: 1, x: width - 130, y: 120, target: 12 });
    }, 60);
  }

  #emit<K extends EventKind>(kind: K, data: EventOf<K>['data'], more: Partial<StoredEvent> = {}): void {
    this.#handlers?.event({ seq: 0, kind, time: new Date().toISOString(), data, ...more } as StoredEvent);
  }
  #store<K extends EventKind>(kind: K, data: EventOf<K>['data'], conversation: string): void {
    this.#emit(kind, data, { seq: ++this.#seq, conversation, turn: 'n1' });
  }

  createConversation = async (title: string): Promise<Conversation> => {
    const now = new Date().toISOString();
    return { id: `n${++this.#seq}`, title: title || 'New conversation', status: 'running', created: now, updated: now };
  };
  transcript = async (id: string) => {
    const conversation = snapshot(this.scenario).conversations.find((c) => c.id === id);
    if (!conversation) throw new BackendError(404, 'not found', '');
    return { seq: 10, conversation, events: id === 't1' ? transcript(this.scenario) : [] };
  };
  renameConversation = async () => {};
  importConversations = async () => ({ conversations: [] });
  fileConversation = async () => {};
  exportConversation = async () => new Blob(['# Desk lamps\n\n## You\n\nWhich lamps are cheap? password: •••\n']);
  shareConversation = async (id: string, shared: boolean) => this.#store('conversation.shared', { id, shared }, id);
  deleteConversation = async () => {};
  send = async (id: string, text: string) => {
    const time = new Date().toISOString();
    this.#store(
      'message.added',
      { id: `m${++this.#seq}`, conversation: id, turn: 'n1', role: 'user', text, status: 'done', time },
      id,
    );
    this.#store('turn.started', { id: 'n1', status: 'running', usage: { input: 0, output: 0 } }, id);
    const words = 'This is the **scenario**, so nothing was done. '.split(' ');
    words.forEach((word, i) =>
      setTimeout(() => this.#store('text.delta', { message: 'x' + id, text: word + ' ' }, id), i * 80),
    );
    setTimeout(
      () => this.#store('turn.ended', { id: 'n1', status: 'done', usage: { input: 12, output: 9 } }, id),
      1200,
    );
  };
  search = async (query: string) => search(this.scenario, query);
  bill = async () => bill;
  changeWaiting = async () => {};
  dropWaiting = async () => {};
  askWaiting = async () => {};
  branch = async () => {};
  chooseBranch = async (id: string, branch: string) => this.#store('branch.chosen', { id: branch }, id);
  stop = async (id: string) =>
    this.#store('turn.ended', { id: 'n1', status: 'stopped', usage: { input: 0, output: 0 } }, id);
  answer = async (id: string, answer: Answer) => this.#store('approval.answered', { id, call: 'c5', answer }, 't1');
  cancelCall = async () => {};
  calls = async () => [];
  instructions = async () => promptAdditions;
  setInstructions = async () => promptAdditions;
  replacePromptNote = async () => promptAdditions;
  grants = async () => grants;
  forbid = async () => grants;
  revoke = async (id: string) => grants.filter((grant) => grant.id !== id);
  audit = async () => ({ calls: [], before: 0 });
  verifyAudit = async () => ({ entries: 214 });
  metrics = async (range: MetricsRange) => metrics(range);
  toolHistory = async (tool: string, _origin: string, range: MetricsRange) => toolHistory(tool, range);
  changes = async () => changes(this.#undone);
  useSummary = async () => {};

  undoChanges = async () => {
    this.#undone = true;
    return { success: true, duration_ms: 4 };
  };
  created = async () => created;
  enableTool = async () => created.map((tool) => ({ ...tool, asleep: false }));
  deleteTool = async (name: string) => created.filter((tool) => tool.name !== name);
  programs = async () => programs;
  dismissProgram = async (id: string) => ({ ...programs, programs: programs.programs.filter((one) => one.id !== id) });
  recipes = async () => ({ recipes, broken: [] });
  draftRecipe = async () => recipes[0];
  recipeAsTest = async () => ({ test: "import { expect, test } from '@playwright/test';\n" });
  findRecipeValue = async ({ name, example }: WantedValue) => ({
    step: { tool: 'get_page_content', args: {}, keep: [{ name, label: 'Order number' }] },
    sentence: `Read ${name}: “Order number”`,
    value: example,
  });
  recipeElements = async () => ({ elements: [{ number: 12, text: 'button “Order now”' }] });
  endRecipeRun = async () => {};
  saveReplacements = async () => {};
  saveRecipe = async () => recipes[0];
  deleteRecipe = async () => {};
  batches = {
    list: async () => batches,
    add: async () => batches[0] as ListedBatch,
    rows: async (_id: string, _after: number, status: string) =>
      batchRows.filter((row) => !status || row.status === status),
    table: async () => new Blob(['Lamp,price,status,reason\n']),
    picture: async () => Promise.reject(new Error('There is no browser here.')),
    sign: async () => {},
    start: async () => {},
    stop: async () => {},
    retry: async () => 0,
    takeOver: async () => 'b_1-2',
    giveBack: async () => {},
    remove: async () => {},
  };
  schedules = async () => ({ schedules });
  saveSchedule = async () => schedules[0].schedule;
  upcomingTimes = async () => ({
    times: ['2026-09-21T06:00:00Z'],
    clock_changes: [],
    sentence: 'Every day at 08:00 (Europe/Berlin)',
  });
  scheduledRuns = async () => ({ runs: [scheduledRun] });
  signSchedule = async () => {};
  runSchedule = async () => scheduledRun;
  pauseSchedule = async () => {};
  resumeSchedule = async () => {};
  renewToken = async () => ({ path: '/api/hooks/s_1', token: 'K7QH2Y3N5LZV6R4T' });
  deleteSchedule = async () => {};
  stopScheduledRun = async () => {};
  backups = async () => ({ ...backups, requested: this.#requestedBackup });
  makeBackup = async () => this.backups();
  requestBackup = async (name: string) => {
    this.#requestedBackup = name;
    return this.backups();
  };
  secrets = async () => secrets;
  putSecret = async () => secrets;
  deleteSecret = async (name: string) => ({ ...secrets, secrets: secrets.secrets.filter((one) => one.name !== name) });
  complete = async (text: string) => ({
    items: text.startsWith('cl')
      ? [
          { insert: 'click 3', show: '3', means: 'button “Add to basket”' },
          { insert: 'click at ', show: 'click at X,Y', means: 'Clicks a point of the view, in pixels' },
        ]
      : [],
    ghost: text === 'click ' ? 'NUMBER' : '',
  });
  pilotGrammar = async () => commands;
  tools = async () => ({ tools, tokens: 900 });
  permit = async () => ({ tools, tokens: 900 });
  tryService = async () => snapshot(this.scenario).models;
  models = async () => snapshot(this.scenario).models;
  resetSetting = async (key: string) => ({ key, value: '', source: 'default' });
  setting = async (key: string, value: string) => ({ key, value, source: 'window' });
  blob = async () => new Blob();
  storeFile = async (name: string, content: Blob): Promise<StoredFile> => ({
    blob: 'b1',
    name,
    kind: 'text',
    mime: 'text/plain',
    size: content.size,
    tokens: Math.ceil(content.size / 4),
  });
  storeWorkspaceFile = async (path: string) => this.storeFile(path, new Blob([path]));
  result = async () => new Blob();
  execute = async (): Promise<Result> => ({ success: true, result: { text: 'done' }, duration_ms: 12 });
  panelPage = async (): Promise<PageTree> => ({ children: [{ kind: 'text', text: 'A page' }] });
  callPanel = async (): Promise<Result> => ({ success: true, result: { text: 'done' }, duration_ms: 12 });
  answerPanelChange = async () => {};
  developPanel = async () => {};
  panelSettings = async () => [];
  setPanelSettings = async () => [];
  previewPanel = async () => ({ panel: '' });
  installPanel = async () => '';
  evalPanel = async () => [];
  pinPanel = async () => {};
  publishContext = async () => {};
  panelState = async () => null;
  savePanelState = async () => {};
  openPanel = async (panel: string) => this.#emit('panel.opened', { panel });
  takeOver = async () => {};
  visits = async () => [];
  localServers = async () => [];
  deleteVisits = async () => {};
  storedSites = async () => [];
  deleteStoredSites = async () => {};
  startBrowser = async () => {};
  copiedOnPage = async () => ({});
  pasteIntoPage = async () => {};
  storePageFile = async () => '1';
  givePageFiles = async () => {};
  pickOnPage = async () => {};
  findInPage = async () => ({ count: 0, current: -1, boxes: [] });
  moveTab = async () => {};
  zoomPage = async () => {};
  toggleServer = async () => {};
  terminals = playTerminals;
  serverAccess = async () => ({ words: ['It may reach the network.'], outside: false });
  server = async () => ({
    entry: { command: 'npx', args: ['-y', 'server-files'] },
    log: 'listening',
    may: await this.serverAccess(),
  });
  addServer = async () => {};
  changeServer = async () => {};
  consentServer = async () => {};
  removeServer = async () => {};
  restartServer = async () => {};
  previewServers = async () => ({ format: 'a list in the mcpServers form', digest: '', servers: [] });
  importServers = async () => ({ added: ['files'], skipped: [] });
}
