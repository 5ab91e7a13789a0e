import type { Frame } from '../../shared/api/frame';
import type { FrameHeader } from '../../shared/api/types';
import { measureInk, type Ink } from './ink';
import type { Session } from '../session/session.svelte';

const RATE_WINDOW_MS = 1000;

/**
 * The live view: requests frames in the size of the canvas and draws the newest. Each frame is acknowledged only after
 * it was drawn or skipped, so that frames never queue up for a slow window.
 */
export class LiveView {
  /** The header of the frame that is shown; null when there is none. */
  header = $state<FrameHeader | null>(null);
  fps = $state(0);

  #canvas: HTMLCanvasElement | null = null;
  /** The session that is shown, "" for the window's. */
  #session = '';
  #size = { width: 0, height: 0, scale: 1 };
  #open = false;
  #drawn: number[] = [];
  /** Frames are decoded in parallel. A frame whose decoding ends after that of a newer frame is not drawn. */
  #received = 0;
  #shown = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly session: Session) {}

  /** Sets the canvas to draw on, and the session of a run that was taken over. Null closes the view. */
  attach(canvas: HTMLCanvasElement | null, session = ''): void {
    this.#canvas = canvas;
    this.#session = session;
    clearInterval(this.#timer);
    if (canvas) {
      this.#timer = setInterval(() => this.#measure(), 500);
      return;
    }
    if (this.#open) this.session.send({ v: 1, kind: 'live.close' });
    this.#open = false;
    this.header = null;
  }

  /** Returns the point of the page under a point of the window, null outside the picture. */
  pointAt(x: number, y: number): { x: number; y: number } | null {
    const box = this.#canvas?.getBoundingClientRect();
    if (!box || !this.header || x < box.left || x >= box.right || y < box.top || y >= box.bottom) return null;
    const scale = this.header.width / box.width;
    return { x: (x - box.left) * scale, y: (y - box.top) * scale };
  }

  /** Sets the size of the view in CSS pixels. The page's viewport follows it, unless a device's size is emulated. */
  resize(width: number, height: number, scale: number): void {
    if (width < 1 || height < 1) return;
    this.#size = { width: Math.round(width), height: Math.round(height), scale };
    this.reopen();
  }

  /** Requests frames, also after a reconnect. */
  reopen(): void {
    if (!this.#canvas || this.#size.width === 0) return;
    this.session.send({ v: 1, kind: 'live.open', ...this.#size, session: this.#session });
    this.#open = true;
  }

  /** Draws a frame and acknowledges it. An invalid frame is acknowledged too, or no more frames would arrive. */
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

  /** Returns what is shown of the page, or of a rectangle in page pixels, as a PNG. Null if nothing is shown. */
  async picture(box?: { x: number; y: number; width: number; height: number }): Promise<Blob | null> {
    const [canvas, header] = [this.#canvas, this.header];
    if (!canvas || !header || !canvas.width) return null;
    const scale = canvas.width / header.width;
    const left = Math.max(0, Math.floor((box?.x ?? 0) * scale));
    const top = Math.max(0, Math.floor((box?.y ?? 0) * scale));
    const right = Math.min(canvas.width, box ? Math.ceil((box.x + box.width) * scale) : canvas.width);
    const bottom = Math.min(canvas.height, box ? Math.ceil((box.y + box.height) * scale) : canvas.height);
    if (right - left < 1 || bottom - top < 1) return null;
    const part = document.createElement('canvas');
    part.width = right - left;
    part.height = bottom - top;
    part.getContext('2d')?.drawImage(canvas, -left, -top);
    return new Promise((resolve) => part.toBlob(resolve, 'image/png'));
  }

  /** Measures what is shown at a size in CSS pixels; undefined if nothing is shown. */
  ink(width: number, height: number): Ink | undefined {
    if (!this.#canvas?.width || !this.header || width < 1 || height < 1) return undefined;
    const copy = new OffscreenCanvas(Math.round(width), Math.round(height));
    const context = copy.getContext('2d', { willReadFrequently: true });
    context?.drawImage(this.#canvas, 0, 0, copy.width, copy.height);
    return context ? measureInk(context.getImageData(0, 0, copy.width, copy.height)) : undefined;
  }

  #measure(): void {
    const since = performance.now() - RATE_WINDOW_MS;
    this.#drawn = this.#drawn.filter((at) => at > since);
    this.fps = this.#drawn.length;
  }
}
