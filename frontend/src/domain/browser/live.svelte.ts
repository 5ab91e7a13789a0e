import type { Frame } from '../../shared/api/frame';
import type { FrameHeader } from '../../shared/api/types';
import type { Session } from '../session/session.svelte';

const RATE_WINDOW_MS = 1000;

/**
 * The live view: requests frames in the size of the canvas, draws the newest one and acknowledges every frame
 * after that, so that a slow window never builds up a queue.
 */
export class LiveView {
  /** The newest frame that was drawn; null before the first and after the view was closed. */
  header = $state<FrameHeader | null>(null);
  fps = $state(0);

  #canvas: HTMLCanvasElement | null = null;
  #size = { width: 0, height: 0, scale: 1 };
  #open = false;
  #drawn: number[] = [];
  /** Frames are decoded in parallel; one that is decoded after a newer one is not drawn. */
  #received = 0;
  #shown = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly session: Session) {}

  /** Takes the canvas to draw on; null when its panel is no longer shown. */
  attach(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
    clearInterval(this.#timer);
    if (canvas) {
      this.#timer = setInterval(() => this.#measure(), 500);
      return;
    }
    if (this.#open) this.session.send({ v: 1, kind: 'live.close' });
    this.#open = false;
    this.header = null;
  }

  /** The place's size in CSS pixels; the page's viewport follows it. */
  resize(width: number, height: number, scale: number): void {
    if (width < 1 || height < 1) return;
    this.#size = { width: Math.round(width), height: Math.round(height), scale };
    this.reopen();
  }

  /** Requests frames, also after a reconnect. */
  reopen(): void {
    if (!this.#canvas || this.#size.width === 0) return;
    this.session.send({ v: 1, kind: 'live.open', ...this.#size });
    this.#open = true;
  }

  /** Draws a frame and acknowledges it, drawn or not: without that no frames follow. */
  async draw(frame: Frame): Promise<void> {
    const turn = ++this.#received;
    try {
      const picture = await createImageBitmap(frame.picture);
      const canvas = this.#canvas;
      if (canvas && turn > this.#shown) {
        this.#shown = turn;
        if (canvas.width !== picture.width) canvas.width = picture.width;
        if (canvas.height !== picture.height) canvas.height = picture.height;
        canvas.getContext('2d', { alpha: false })?.drawImage(picture, 0, 0);
        this.header = frame.header;
        this.#drawn.push(performance.now());
      }
      picture.close();
    } catch {
      // Skip a frame that cannot be decoded.
    } finally {
      this.session.send({ v: 1, kind: 'live.ack', frame: frame.header.frame });
    }
  }

  #measure(): void {
    const since = performance.now() - RATE_WINDOW_MS;
    this.#drawn = this.#drawn.filter((at) => at > since);
    this.fps = this.#drawn.length;
  }
}
