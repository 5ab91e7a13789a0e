import { parseFrame, type Frame } from './frame';
import type { ClientMessage, Envelope, StoredEvent, SurfaceEnvelope } from './types';

/** Receives the messages of a connection. `closed` is called once, as the last handler. */
export interface SocketHandlers {
  hello(seq: number): void;
  event(event: StoredEvent): void;
  /** Called with every request about the page of the panel that is shown, and every cancellation of one. */
  surface(message: SurfaceEnvelope): void;
  frame(frame: Frame): void;
  closed(): void;
}

export interface Connection {
  send(message: ClientMessage): void;
  close(): void;
}

/** Opens a WebSocket to the server of this page. */
export function openSocket(path: string): WebSocket {
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`);
  socket.binaryType = 'arraybuffer';
  return socket;
}

/** Opens the event stream. After `hello` it repeats the stored events after the sequence number `after`. */
export function connect(token: string, after: number, handlers: SocketHandlers): Connection {
  const socket = openSocket('/ws');
  const send = (message: ClientMessage) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.onopen = () => send({ v: 1, kind: 'hello', token, after });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data !== 'string') {
      const frame = parseFrame(data);
      if (frame) handlers.frame(frame);
      return;
    }
    const message = JSON.parse(data) as Envelope;
    switch (message.kind) {
      case 'hello':
        handlers.hello(message.data.seq);
        break;
      case 'surface.ask':
      case 'surface.cancel':
        handlers.surface(message);
        break;
      case 'error':
        break;
      default:
        handlers.event(message);
    }
  };
  socket.onclose = () => handlers.closed();
  return { send, close: () => socket.close() };
}
