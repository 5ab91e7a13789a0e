import type { Backend } from '../shared/api/backend';
import { Actions } from './actions';
import { Apps } from './apps/apps.svelte';
import { Approvals } from './approvals/approvals.svelte';
import { Bookmarks } from './browser/bookmarks.svelte';
import { Browser } from './browser/browser.svelte';
import { Commands, inOwnWindow } from './commands/commands.svelte';
import { Bills } from './conversation/bills.svelte';
import { Branching } from './conversation/branching.svelte';
import { Completing } from './conversation/completing.svelte';
import { Conversations } from './conversation/conversation.svelte';
import { Editor, EDITOR_PANEL } from './editor/editor.svelte';
import { FILES_PANEL, FileTree } from './files/tree.svelte';
import { There } from './files/there';
import { Layout } from './layout.svelte';
import { Metrics } from './metrics/metrics.svelte';
import { Notes, NOTES_PANEL } from './notes/notes.svelte';
import { Panels } from './panels/panels.svelte';
import { Showing } from './panels/showing';
import { Records } from './record/records.svelte';
import { Programs } from './record/programs.svelte';
import { Secrets } from './record/secrets.svelte';
import { Shelves } from './servers/shelves.svelte';
import { Session } from './session/session.svelte';
import { Settings } from './settings/settings.svelte';
import { Surface } from './surface/surface.svelte';
import { Store } from './store/store.svelte';
import { Terminals } from './terminals/terminals.svelte';
import { Toasts } from './toasts.svelte';
import { Tools } from './tools/tools.svelte';

/** Every controller of the window, made in the order they need each other. */
export class App {
  readonly store = new Store();
  readonly toasts = new Toasts();
  readonly layout = new Layout();
  readonly commands = new Commands(inOwnWindow());
  readonly session: Session;
  readonly actions: Actions;
  readonly settings: Settings;
  readonly apps: Apps;
  readonly panels: Panels;
  readonly approvals: Approvals;
  readonly tools: Tools;
  readonly records: Records;
  readonly programs: Programs;
  readonly secrets: Secrets;
  readonly metrics: Metrics;
  readonly browser: Browser;
  readonly bookmarks: Bookmarks;
  readonly surface: Surface;
  readonly talk: Conversations;
  readonly completing: Completing;
  readonly shelves: Shelves;
  readonly branching: Branching;
  readonly bills: Bills;
  readonly terminals: Terminals;
  readonly editor: Editor;
  readonly tree: FileTree;
  readonly there: There;
  readonly notes: Notes;
  readonly showing: Showing;

  constructor(backend: Backend) {
    this.actions = new Actions(backend, this.store, this.toasts);
    this.session = new Session(backend, this.store);
    this.apps = new Apps(this.actions);
    this.settings = new Settings(this.store, this.actions);
    this.panels = new Panels(this.store, this.actions);
    this.approvals = new Approvals(this.store, this.actions, this.toasts);
    this.tools = new Tools(this.store, this.actions);
    this.records = new Records(this.actions);
    this.programs = new Programs(this.actions);
    this.secrets = new Secrets(this.actions);
    this.metrics = new Metrics(this.actions);
    this.browser = new Browser(this.store, this.actions, this.session, this.settings);
    this.bookmarks = new Bookmarks(this.actions);
    this.surface = new Surface(this.session, this.actions, this.settings);
    this.talk = new Conversations(this.store, this.actions, this.settings, this.panels, this.toasts);
    this.branching = new Branching(this.talk, this.store, this.actions, this.panels);
    this.shelves = new Shelves(this.store, this.actions, this.talk);
    this.completing = new Completing(backend, (text) => this.shelves.offersFor(text));
    this.bills = new Bills(this.talk, this.actions);
    this.terminals = new Terminals(backend);
    this.editor = new Editor(this.store, this.actions, this.toasts, () => void this.panels.open(EDITOR_PANEL));
    this.tree = new FileTree(this.actions, this.toasts);
    this.there = new There(
      () => backend.files,
      () => this.store.state.workspace,
    );
    this.notes = new Notes(this.actions, this.toasts);
    this.showing = new Showing(backend);
    $effect.root(() => {
      $effect(() => this.showing.say(NOTES_PANEL, this.notes.note ? { note: this.notes.note.name } : {}));
      $effect(() => this.showing.say(FILES_PANEL, this.tree.selected ? { path: this.tree.selected } : {}));
    });
    this.session.onFrame = (frame) => void this.browser.live.draw(frame);
    this.session.onReady = () => {
      this.browser.live.reopen();
      if (document.hasFocus()) this.surface.looked();
    };
    this.session.onSurface = (message) => void this.surface.onRequest(message);
    this.layout.restore(this.settings.seen('layout'));
    this.layout.onkeep = (kept) => this.settings.see('layout', kept);
    this.session.onOpened = () => {
      this.layout.restore(this.settings.seen('layout'));
      void this.talk.resume();
      void this.tools.refreshCalls();
      this.showing.again();
    };
    this.session.onEvent = (event) => {
      this.talk.onEvent(event);
      this.bills.onEvent(event);
      this.panels.onEvent(event);
      this.editor.onEvent(event);
      this.tree.onEvent(event);
      this.notes.onEvent(event);
      this.bookmarks.onEvent(event);
    };
  }

  start(): Promise<void> {
    return this.session.start();
  }
}
