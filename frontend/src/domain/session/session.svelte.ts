import type { Backend } from '../../shared/api/backend';
import type { ClientMessage, StoredEvent, SurfaceEnvelope } from '../../shared/api/types';
import { BackendError } from '../../shared/api/client';
import type { Frame } from '../../shared/api/frame';
import type { Connection } from '../../shared/api/socket';
import type { Store } from '../store/store.svelte';

/** Delays between reconnects in seconds; the last one repeats. */
const RETRY_DELAYS = [1, 2, 4, 8, 15];

/** The connection to the program. After a lost connection it reconnects and requests the missed events. */
export class Session {
  phase = $state<'starting' | 'ready' | 'refused' | 'gone'>('starting');
  /** Whether the event stream is open. */
  connected = $state(false);
  /** Seconds until the next attempt to connect, 0 if none is scheduled. */
  retryIn = $state(0);

  /** Called with every frame of the live view. */
  onFrame: (frame: Frame) => void = () => {};
  /** Called when the socket is ready: first, and after every reconnect. */
  onReady: () => void = () => {};
  /** Called whenever `start` has read the state. */
  onOpened: () => void = () => {};
  /** Called with every request about the page of the panel that is shown, and every cancellation of one. */
  onSurface: (message: SurfaceEnvelope) => void = () => {};
  /** Called with every event before it changes the state. */
  onEvent: (event: StoredEvent) => void = () => {};

  #connection: Connection | null = null;
  #tries = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #done = false;

  constructor(
    private readonly backend: Backend,
    private readonly store: Store,
  ) {}

  async start(): Promise<void> {
    try {
      this.store.apply({ kind: 'snapshot', snapshot: await this.backend.state(), again: false });
      this.phase = 'ready';
      this.onOpened();
      this.#connect();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Reconnects at once. */
  retryNow(): void {
    clearInterval(this.#timer);
    this.retryIn = 0;
    if (this.phase === 'ready') this.#connect();
    else void this.start();
  }

  send(message: ClientMessage): void {
    if (this.connected) this.#connection?.send(message);
  }

  stop(): void {
    this.#done = true;
    clearInterval(this.#timer);
    this.#connection?.close();
  }

  #connect(): void {
    this.#connection?.close();
    const connection = this.backend.connect(this.store.state.seq, {
      hello: () => void this.#onHello(connection),
      event: (event) => {
        if (connection !== this.#connection) return;
        this.onEvent(event);
        this.store.applyEvent(event);
      },
      surface: (message) => {
        if (connection === this.#connection) this.onSurface(message);
      },
      frame: (frame) => {
        if (connection === this.#connection) this.onFrame(frame);
      },
      closed: () => {
        if (connection === this.#connection) this.#onClosed();
      },
    });
    this.#connection = connection;
  }

  async #onHello(connection: Connection): Promise<void> {
    if (connection !== this.#connection) return;
    this.connected = true;
    const again = this.#tries > 0;
    this.#tries = 0;
    this.onReady();
    if (!again) return;
    try {
      this.store.apply({ kind: 'snapshot', snapshot: await this.backend.state(), again: true });
    } catch (error) {
      if (error instanceof BackendError && error.status === 401) this.phase = 'refused';
    }
  }

  #onClosed(): void {
    this.connected = false;
    this.#connection = null;
    if (this.#done) return;
    this.#wait();
    // A restarted program refuses this token. Then waiting would not help.
    this.backend.state().catch((error: unknown) => {
      if (error instanceof BackendError && error.status === 401) this.#failed(error);
    });
  }

  #failed(error: unknown): void {
    clearInterval(this.#timer);
    if (error instanceof BackendError && (error.status === 401 || error.status === 403)) {
      this.phase = 'refused';
      return;
    }
    this.phase = 'gone';
    this.#wait();
  }

  #wait(): void {
    clearInterval(this.#timer);
    this.retryIn = RETRY_DELAYS[Math.min(this.#tries++, RETRY_DELAYS.length - 1)] ?? 15;
    this.#timer = setInterval(() => {
      if (--this.retryIn <= 0) this.retryNow();
    }, 1000);
  }
}
