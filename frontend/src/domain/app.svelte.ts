import { tick } from 'svelte';
import type { Backend } from '../shared/api/backend';
import type { Link, SurfaceEnvelope } from '../shared/api/types';
import { Actions } from './actions';
import { Apps } from './apps/apps.svelte';
import { Approvals } from './approvals/approvals.svelte';
import { AuditLog } from './audit/auditlog.svelte';
import { Backups } from './backups/backups.svelte';
import { AddressBar } from './browser/addressbar.svelte';
import { BROWSER_PANEL, Bookmarks } from './browser/bookmarks.svelte';
import { BrowsingHistory } from './browser/browsinghistory.svelte';
import { StoredSites } from './browser/sitedata.svelte';
import { Browser } from './browser/browser.svelte';
import { PageControls } from './browser/pagecontrols.svelte';
import { Pointing } from './browser/pointing.svelte';
import { Commands, inDesktopWindow } from './commands/commands.svelte';
import { CostTracker } from './conversation/costs.svelte';
import { Branching } from './conversation/branching.svelte';
import { Completions } from './conversation/completions.svelte';
import { Conversations } from './conversation/conversations.svelte';
import { Find } from './conversation/find.svelte';
import { ConversationImport } from './conversation/conversationimport.svelte';
import { MessageSearch } from './conversation/messagesearch.svelte';
import { Mentions } from './conversation/mentions.svelte';
import { Editor, EDITOR_PANEL } from './editor/editor.svelte';
import { FILES_PANEL, FileTree } from './files/tree.svelte';
import { FileExistence } from './files/existence';
import { Grants } from './grants/grants.svelte';
import { Layout } from './layout.svelte';
import { Metrics } from './metrics/metrics.svelte';
import { Notes, NOTES_PANEL } from './notes/notes.svelte';
import { Models } from './models/models.svelte';
import { Panels } from './panels/panels.svelte';
import { ContextPublisher } from './panels/contextpublisher';
import { Programs } from './programs/programs.svelte';
import { Instructions } from './instructions/instructions.svelte';
import { Recipes } from './recipes/recipes.svelte';
import { Schedules, SCHEDULES_PANEL } from './schedules/schedules.svelte';
import { Secrets } from './secrets/secrets.svelte';
import { ServerResources } from './servers/serverresources.svelte';
import { Session } from './session/session.svelte';
import { Settings } from './settings/settings.svelte';
import { Surface } from './surface/surface.svelte';
import { Store } from './store/store.svelte';
import { Terminals } from './terminals/terminals.svelte';
import { Toasts } from './toasts.svelte';
import { CreatedTools } from './tools/createdtools.svelte';
import { Tools } from './tools/tools.svelte';

/** Creates the controllers of the window and connects them. Views get each controller with `useController`. */
export class App {
  readonly store = new Store();
  readonly toasts = new Toasts();
  readonly layout = new Layout();
  readonly commands: Commands;
  readonly session: Session;
  readonly actions: Actions;
  readonly settings: Settings;
  readonly apps: Apps;
  readonly panels: Panels;
  readonly approvals: Approvals;
  readonly tools: Tools;
  readonly createdTools: CreatedTools;
  readonly grants: Grants;
  readonly auditLog: AuditLog;
  readonly backups: Backups;
  readonly recipes: Recipes;
  readonly schedules: Schedules;
  readonly programs: Programs;
  readonly instructions: Instructions;
  readonly secrets: Secrets;
  readonly metrics: Metrics;
  readonly browser: Browser;
  readonly bookmarks: Bookmarks;
  readonly addressBar: AddressBar;
  readonly browsingHistory: BrowsingHistory;
  readonly storedSites: StoredSites;
  readonly pageControls: PageControls;
  readonly surface: Surface;
  readonly conversations: Conversations;
  readonly completions: Completions;
  readonly mentions: Mentions;
  readonly pointing: Pointing;
  readonly serverResources: ServerResources;
  readonly conversationImport: ConversationImport;
  readonly models: Models;
  readonly messageSearch: MessageSearch;
  readonly find: Find;
  readonly branching: Branching;
  readonly costTracker: CostTracker;
  readonly terminals: Terminals;
  readonly editor: Editor;
  readonly fileTree: FileTree;
  readonly fileExistence: FileExistence;
  readonly notes: Notes;
  readonly contextPublisher: ContextPublisher;

  constructor(backend: Backend) {
    this.actions = new Actions(backend, this.store, this.toasts);
    this.session = new Session(backend, this.store);
    this.apps = new Apps(this.actions);
    this.settings = new Settings(this.store, this.actions);
    this.panels = new Panels(this.store, this.actions);
    this.approvals = new Approvals(this.store, this.actions, this.toasts);
    this.tools = new Tools(this.store, this.actions);
    this.createdTools = new CreatedTools(this.actions);
    this.grants = new Grants(this.actions);
    this.auditLog = new AuditLog(this.actions);
    this.backups = new Backups(this.actions);
    this.recipes = new Recipes(this.actions, this.store);
    this.schedules = new Schedules(this.actions, this.store, this.toasts);
    this.programs = new Programs(this.actions);
    this.instructions = new Instructions(this.actions);
    this.secrets = new Secrets(this.actions);
    this.metrics = new Metrics(this.actions);
    this.browser = new Browser(this.store, this.actions, this.session, this.settings);
    this.commands = new Commands(inDesktopWindow(), () => this.settings.shortcuts);
    this.bookmarks = new Bookmarks(this.actions);
    this.addressBar = new AddressBar(this.browser, this.bookmarks, this.actions);
    this.browsingHistory = new BrowsingHistory(this.actions);
    this.storedSites = new StoredSites(this.actions);
    this.pageControls = new PageControls(this.browser, this.actions, this.toasts);
    this.surface = new Surface(this.session, this.actions, this.settings);
    this.conversations = new Conversations(this.store, this.actions, this.settings, this.panels, this.toasts);
    this.conversationImport = new ConversationImport(this.actions, this.toasts);
    this.models = new Models(this.store, this.settings, this.actions);
    this.messageSearch = new MessageSearch(this.actions, this.conversations);
    this.find = new Find(this.actions, this.conversations);
    this.branching = new Branching(this.conversations, this.store, this.actions, this.panels);
    this.serverResources = new ServerResources(this.store, this.actions, this.conversations);
    this.completions = new Completions(backend, async (text) =>
      (await Promise.all([this.recipes.offersFor(text), this.serverResources.offersFor(text)])).flat(),
    );
    this.pointing = new Pointing(this.browser, this.conversations, this.actions, this.layout, this.toasts);
    this.mentions = new Mentions(this.store, this.actions, this.conversations);
    this.costTracker = new CostTracker(this.conversations, this.actions);
    this.terminals = new Terminals(backend);
    this.editor = new Editor(this.store, this.actions, this.toasts, () => void this.panels.open(EDITOR_PANEL));
    this.fileTree = new FileTree(this.actions, this.toasts);
    this.fileExistence = new FileExistence(
      () => backend.files,
      () => this.store.state.workspace,
    );
    this.notes = new Notes(this.actions, this.toasts);
    this.panels.onOpen = () => (this.layout.reading = false);
    this.schedules.onOpen = () => void this.panels.open(SCHEDULES_PANEL);
    this.schedules.onWatch = (conversation) => {
      void this.conversations.open(conversation);
      void this.panels.open(BROWSER_PANEL);
    };
    this.contextPublisher = new ContextPublisher(backend);
    this.conversations.beforeSend = async () => {
      await this.contextPublisher.flush();
      await this.browser.giveBack();
    };
    this.#publishContexts();
    this.#connectSession();
    this.layout.restore(this.settings.lastView('layout'));
    this.layout.onChange = (saved) => this.settings.saveView('layout', saved);
  }

  /** Publishes the open note and the selected file as the contexts of their panels whenever they change. */
  #publishContexts(): void {
    $effect.root(() => {
      $effect(() => this.contextPublisher.publish(NOTES_PANEL, this.notes.note ? { note: this.notes.note.name } : {}));
      $effect(() => {
        const path = this.fileTree.selected;
        this.contextPublisher.publish(FILES_PANEL, path ? { path } : {});
      });
    });
  }

  #connectSession(): void {
    this.session.onFrame = (frame) => void this.browser.live.draw(frame);
    this.session.onReady = () => {
      this.browser.live.reopen();
      if (document.hasFocus()) this.surface.reportFocus(true);
    };
    this.session.onSurface = (message) => void this.#answerSurface(message);
    this.session.onOpened = () => {
      this.layout.restore(this.settings.lastView('layout'));
      void this.conversations.resume().then(() => this.#showInitialLink());
      void this.tools.refreshCalls();
      void this.schedules.read();
      this.contextPublisher.republish();
    };
    this.session.onEvent = (event) => {
      this.conversations.onEvent(event);
      this.costTracker.onEvent(event);
      this.panels.onEvent(event);
      this.editor.onEvent(event);
      this.fileTree.onEvent(event);
      this.notes.onEvent(event);
      this.bookmarks.onEvent(event);
      this.pageControls.onEvent(event);
      this.schedules.onEvent(event);
      if (event.kind === 'batches.changed') this.recipes.onBatch();
      if (event.kind === 'link.opened') void this.#showLink(event.data);
    };
  }

  async #showLink(link: Link): Promise<void> {
    const { showLink } = await import('./links');
    await showLink(this, link);
  }

  /** Shows the link in the address of this window, and removes it there. */
  async #showInitialLink(): Promise<void> {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const kind = parameters.get('show');
    if (!kind) return;
    history.replaceState(null, '', location.pathname + location.search);
    await this.#showLink({ kind: kind as Link['kind'], name: parameters.get('name') ?? '' });
  }

  /** Answers a request for the page of a panel. A conversation that covers the page makes room for it first. */
  async #answerSurface(message: SurfaceEnvelope): Promise<void> {
    if (this.layout.reading && message.kind === 'surface.ask') {
      this.layout.reading = false;
      await tick();
    }
    await this.surface.onRequest(message);
  }

  start(): Promise<void> {
    return this.session.start();
  }
}
