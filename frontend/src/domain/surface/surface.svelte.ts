import { actAsAssistant, requestsSettled } from '../../shared/api/assistantaction';
import { environmentTool } from '../../shared/api/navigation';
import type { Json, SurfaceAsk, SurfaceEnvelope, SurfaceMarks, SurfaceReply } from '../../shared/api/types';
import type { Actions } from '../actions';
import { inOwnWindow } from '../commands/commands.svelte';
import type { Session } from '../session/session.svelte';
import type { Settings } from '../settings/settings.svelte';
import { PanelMarks } from './marks.svelte';
import { Pose } from './pose';

/** Asks what a panel shows in its frame, through the panel's own bridge; the answer is a stranger's. */
export type FrameAsk = (ask: { name: string; args: Json[] }) => Promise<Json>;

interface Script {
  scope: Element | Document;
  during: typeof actAsAssistant;
  do(name: string, args: Json[]): Promise<Json>;
}
declare global {
  var __sextant: Script | undefined;
  var __sextantScope: Element | undefined;
}

/** How long an answer may be, in characters: the program reads no longer message. */
const MOST = 900_000;
/** How long a page may take to be at rest after requests that a press began, in milliseconds. */
const PATIENCE = 4000;
const drawn = () => new Promise((done) => requestAnimationFrame(done));
/** How long the pointer is seen after it acted, in milliseconds. */
const SEEN = 1500;

/**
 * The page of the panel that this window shows, as the program looks at it and acts on it. What can be
 * seen and pressed is the panel's place on the stage only; what a panel shows in a frame answers itself.
 */
export class Surface {
  /** Where the assistant's pointer is, in pixels of the window; null soon after it acted. */
  pointer = $state<{ x: number; y: number; press: boolean } | null>(null);

  /** The numbers over the page. */
  readonly marks = new PanelMarks(
    (frame, doc, handles) => this.#where(frame, doc, handles),
    () => this.settings.value('marks') !== 'off',
  );

  /** A picture is taken: what the window draws over the page waits. */
  posing = $state(false);
  readonly #still = new Pose((posing) => (this.posing = posing));
  #frames = new Map<string, FrameAsk>();
  #installing: Promise<void> | null = null;
  #away: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly actions: Actions,
    private readonly settings: Settings,
  ) {}

  /** Whether the numbers of a panel are drawn. */
  marked(panel: string): boolean {
    return this.marks.panel === panel && panel !== '' && this.settings.value('marks') !== 'off';
  }

  /** Numbers the page of the panel in front; when its numbers are drawn already, hides them. */
  async annotate(panel: string): Promise<void> {
    if (this.marked(panel)) {
      await this.settings.set('marks', 'off');
      return;
    }
    if (this.settings.value('marks') === 'off') await this.settings.set('marks', 'on');
    await this.actions.run(environmentTool('annotate'), {});
  }

  /** Says how the frame of a panel is asked; returns what ends that. */
  provide(panel: string, ask: FrameAsk): () => void {
    this.#frames.set(panel, ask);
    return () => {
      if (this.#frames.get(panel) === ask) this.#frames.delete(panel);
    };
  }

  /** Tells the program that a person looks at this window. */
  looked(): void {
    this.session.send({ v: 1, kind: 'focus' });
  }

  /** Answers a request of the program. */
  async onRequest(message: SurfaceEnvelope): Promise<void> {
    if (message.kind !== 'surface.ask') return;
    const ask = message.data;
    const reply: SurfaceReply = { id: ask.id };
    try {
      reply.value = await this.#answer(ask);
      if (JSON.stringify(reply.value ?? null).length > MOST) {
        delete reply.value;
        reply.error = 'its answer is too long.';
      }
    } catch (error) {
      reply.error = error instanceof Error ? error.message : String(error);
    }
    this.session.send({ v: 1, kind: 'surface.reply', reply });
  }

  async #answer({ panel, frame, do: name, args }: SurfaceAsk): Promise<Json> {
    if (name === 'posed') return { v: { held: this.#still.rest() } };
    const stage = await staged();
    if (!stage || stage.dataset.surface !== panel) throw new Error('the window shows another panel now.');
    if (name === 'marks') {
      const [told] = (args ?? []) as SurfaceMarks[];
      if (told) this.marks.take(panel, told);
      return { v: true };
    }
    if (name === 'pose') return this.#pose(stage);
    const place = frame ? stage.querySelector('iframe')?.getBoundingClientRect() : undefined;
    if (name === 'press') this.#point((args as Json[])[1], true, place);
    if (frame) {
      const asked = this.#frames.get(panel);
      if (!asked) throw new Error('its frame does not answer.');
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
    if (name === 'calm') await requestsSettled(PATIENCE);
    return globalThis.__sextant?.do(name, args ?? []);
  }

  /**
   * Shows the page and nothing of the window's own over it, for a picture. What a person has open over it
   * stays and is told, so that it is painted over.
   */
  async #pose(stage: HTMLElement): Promise<Json> {
    if (!inOwnWindow()) return { v: { own: false } };
    if (document.querySelector('.scrim')) return { e: 'a dialog lies over it, which is for the person' };
    // A window that nobody sees draws no frames.
    const posed = await this.#still.strike(stage, () =>
      Promise.race([drawn().then(drawn), new Promise((done) => setTimeout(done, 300))]),
    );
    return { v: { own: true, width: innerWidth, ...posed } } as unknown as Json;
  }

  /** Where elements of the page, or of what its frame shows, are now. */
  async #where(frame: boolean, doc: string, handles: number[]): Promise<Json> {
    const args = [doc, handles] as Json[];
    const answer = frame
      ? await this.#frames.get(this.marks.panel)?.({ name: 'where', args })
      : await globalThis.__sextant?.do('where', args);
    return (answer as { v?: Json } | null | undefined)?.v ?? null;
  }

  /** Shows the pointer at a point of the window, or of a frame's place, where a stranger's numbers stay inside. */
  #point(at: Json, press: boolean, place?: DOMRect): void {
    const { x, y } = (at ?? {}) as { x?: unknown; y?: unknown };
    if (typeof x !== 'number' || typeof y !== 'number') return;
    const inside = (v: number, size: number) => Math.min(Math.max(v, 0), size);
    this.pointer = place
      ? { x: place.x + inside(x, place.width), y: place.y + inside(y, place.height), press }
      : { x, y, press };
    clearTimeout(this.#away);
    this.#away = setTimeout(() => (this.pointer = null), SEEN);
  }

  /** Brings the collector into the window, on the stage only. */
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
      script.onerror = () => reject(new Error('the window could not load what it looks with.'));
      document.head.append(script);
    });
    script.remove();
    const came = (globalThis as { __sextant?: Script }).__sextant;
    if (came) came.during = actAsAssistant;
  }
}

/** The stage, once what its panel is made of has come; after PATIENCE as it is. */
async function staged(): Promise<HTMLElement | null> {
  for (let waited = 0; waited < PATIENCE; waited += 20) {
    const stage = document.querySelector<HTMLElement>('[data-surface]');
    if (!stage || stage.dataset.loading === undefined) return stage;
    await new Promise((done) => setTimeout(done, 20));
  }
  return document.querySelector<HTMLElement>('[data-surface]');
}
