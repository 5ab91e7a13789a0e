import { actAsAssistant, requestsSettled } from '../../shared/api/assistantaction';
import { environmentTool } from '../../shared/api/navigation';
import type { Json, SurfaceRequest, SurfaceEnvelope, SurfaceMarks, SurfaceReply } from '../../shared/api/types';
import type { Actions } from '../actions';
import { inDesktopWindow } from '../commands/commands.svelte';
import type { Session } from '../session/session.svelte';
import type { Settings } from '../settings/settings.svelte';
import { PanelMarks } from './panelmarks.svelte';
import { WindowFreeze } from './freeze';

/** Runs a collector operation in the frame of a panel. The answer is untrusted. */
export type FrameExecutor = (ask: { name: string; args: Json[] }) => Promise<Json>;

interface Script {
  scope: Element | Document;
  during: typeof actAsAssistant;
  do(name: string, args: Json[]): Promise<Json>;
}
declare global {
  var __sextant: Script | undefined;
  var __sextantScope: Element | undefined;
}

/** The most characters of an answer. The program rejects longer messages. */
const ANSWER_MAX = 900_000;
/** How long to wait for the requests of an action, and for a loading panel, in milliseconds. */
const SETTLE_TIMEOUT_MS = 4000;
const drawn = () => new Promise((done) => requestAnimationFrame(done));
/** How long the pointer stays visible after an action, in milliseconds. */
const POINTER_MS = 1500;

/**
 * Lets the program observe and act on the page of the shown panel. It has access to the stage only. Requests for a
 * panel's frame are passed on to the frame.
 */
export class Surface {
  /** The position of the assistant's pointer in window pixels; null if its last action was more than 1.5 s ago. */
  pointer = $state<{ x: number; y: number; press: boolean } | null>(null);

  /** The marks over the panel's page. */
  readonly marks = new PanelMarks(
    (frame, doc, handles) => this.#boxes(frame, doc, handles),
    () => this.settings.value('marks') !== 'off',
  );

  /** True while a screenshot is taken. Then the window draws nothing over the page. */
  frozen = $state(false);
  readonly #freeze = new WindowFreeze((frozen) => (this.frozen = frozen));
  /** What `reportFocus` reported last. */
  reportedFocus = false;
  #frames = new Map<string, FrameExecutor>();
  #installing: Promise<void> | null = null;
  #pointerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly actions: Actions,
    private readonly settings: Settings,
  ) {}

  /** Reports whether the marks of a panel are drawn. */
  marked(panel: string): boolean {
    return this.marks.panel === panel && panel !== '' && this.settings.value('marks') !== 'off';
  }

  /** Turns the marks on the page of the active panel on or off. */
  async annotate(panel: string): Promise<void> {
    if (this.marked(panel)) {
      await this.settings.set('marks', 'off');
      return;
    }
    if (this.settings.value('marks') === 'off') await this.settings.set('marks', 'on');
    await this.actions.run(environmentTool('annotate'), {});
  }

  /** Registers the frame of a panel. The returned function removes it. */
  registerFrame(panel: string, ask: FrameExecutor): () => void {
    this.#frames.set(panel, ask);
    return () => {
      if (this.#frames.get(panel) === ask) this.#frames.delete(panel);
    };
  }

  /** Reports to the program whether the person uses this window. */
  reportFocus(focused: boolean): void {
    this.reportedFocus = focused;
    this.session.send({ v: 1, kind: focused ? 'focus' : 'blur' });
  }

  /** Answers a request of the program. Cancellations are ignored. */
  async onRequest(message: SurfaceEnvelope): Promise<void> {
    if (message.kind !== 'surface.ask') return;
    const ask = message.data;
    const reply: SurfaceReply = { id: ask.id };
    try {
      reply.value = await this.#answer(ask);
      if (JSON.stringify(reply.value ?? null).length > ANSWER_MAX) {
        delete reply.value;
        reply.error = 'its answer is too long.';
      }
    } catch (error) {
      reply.error = error instanceof Error ? error.message : String(error);
    }
    this.session.send({ v: 1, kind: 'surface.reply', reply });
  }

  async #answer({ panel, frame, do: name, args }: SurfaceRequest): Promise<Json> {
    if (name === 'posed') return { v: { held: this.#freeze.end() } };
    const stage = await loadedStage();
    if (!stage || stage.dataset.surface !== panel) throw new Error('the window shows another panel now.');
    if (name === 'marks') {
      const [marks] = (args ?? []) as SurfaceMarks[];
      if (marks) this.marks.replace(panel, marks);
      return { v: true };
    }
    if (name === 'pose') return this.#beginScreenshot(stage);
    const place = frame ? stage.querySelector('iframe')?.getBoundingClientRect() : undefined;
    if (name === 'press') this.#point((args as Json[])[1], true, place);
    if (frame) {
      const asked = this.#frames.get(panel);
      if (!asked) throw new Error('its frame is not responding.');
      const answer = await asked({ name, args: args ?? [] });
      if (name === 'aim') this.#point((answer as { v?: Json } | null)?.v, false, place);
      return answer;
    }
    await this.#install(stage);
    if (name === 'aim') {
      const answer = await globalThis.__sextant?.do(name, args ?? []);
      this.#point((answer as { v?: Json } | undefined)?.v, false);
      return answer;
    }
    if (name === 'awaitSettled') await requestsSettled(SETTLE_TIMEOUT_MS);
    return globalThis.__sextant?.do(name, args ?? []);
  }

  /**
   * Freezes the window for a screenshot, and returns the rectangles that the program must paint over. In a web browser,
   * or while a dialog covers the stage, nothing is frozen, and the answer says so.
   */
  async #beginScreenshot(stage: HTMLElement): Promise<Json> {
    if (!inDesktopWindow()) return { v: { own: false } };
    if (document.querySelector('.scrim')) return { e: 'a dialog covers it, which only the person may use' };
    // A hidden window paints nothing, so the wait is limited.
    const layout = await this.#freeze.begin(stage, () =>
      Promise.race([drawn().then(drawn), new Promise((done) => setTimeout(done, 300))]),
    );
    return { v: { own: true, width: innerWidth, ...layout } } as unknown as Json;
  }

  /** Returns the boxes of elements of the page, or of its frame. */
  async #boxes(frame: boolean, doc: string, handles: number[]): Promise<Json> {
    const args = [doc, handles] as Json[];
    const answer = frame
      ? await this.#frames.get(this.marks.panel)?.({ name: 'where', args })
      : await globalThis.__sextant?.do('where', args);
    return (answer as { v?: Json } | null | undefined)?.v ?? null;
  }

  /** Shows the pointer at a point of the window or, limited to the frame's area, at a point of a frame. */
  #point(at: Json, press: boolean, place?: DOMRect): void {
    const { x, y } = (at ?? {}) as { x?: unknown; y?: unknown };
    if (typeof x !== 'number' || typeof y !== 'number') return;
    const inside = (v: number, size: number) => Math.min(Math.max(v, 0), size);
    this.pointer = place
      ? { x: place.x + inside(x, place.width), y: place.y + inside(y, place.height), press }
      : { x, y, press };
    clearTimeout(this.#pointerTimer);
    this.#pointerTimer = setTimeout(() => (this.pointer = null), POINTER_MS);
  }

  /** Loads the collector script for the stage, unless it is loaded. */
  async #install(stage: HTMLElement): Promise<void> {
    if (globalThis.__sextant?.scope === stage) return;
    this.#installing ??= this.#load(stage).finally(() => (this.#installing = null));
    await this.#installing;
  }

  async #load(stage: HTMLElement): Promise<void> {
    delete globalThis.__sextant;
    globalThis.__sextantScope = stage;
    const script = document.createElement('script');
    script.src = '/surface.js';
    await new Promise<void>((resolve, reject) => {
      script.onload = () => resolve();
      script.onerror = () => reject(new Error('the window could not load its page script.'));
      document.head.append(script);
    });
    script.remove();
    const loaded = (globalThis as { __sextant?: Script }).__sextant;
    if (loaded) loaded.during = actAsAssistant;
  }
}

/** Returns the stage when its panel has loaded, or after the timeout; null if there is no stage. */
async function loadedStage(): Promise<HTMLElement | null> {
  for (let waited = 0; waited < SETTLE_TIMEOUT_MS; waited += 20) {
    const stage = document.querySelector<HTMLElement>('[data-surface]');
    if (!stage || stage.dataset.loading === undefined) return stage;
    await new Promise((done) => setTimeout(done, 20));
  }
  return document.querySelector<HTMLElement>('[data-surface]');
}
