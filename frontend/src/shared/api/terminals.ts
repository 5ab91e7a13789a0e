import { openSocket } from './socket';
import type { TerminalMessage, TerminalUpdate } from './types';

/** Receives the messages about the terminals. `closed` is called once, as the last handler. */
export interface TerminalHandlers {
  update(update: TerminalUpdate): void;
  output(tab: number, bytes: Uint8Array): void;
  closed(): void;
}

export interface TerminalLink {
  send(message: Omit<TerminalMessage, 'v'>): void;
  /** Sends text that the person typed into a tab. */
  type(tab: number, text: string): void;
  close(): void;
}

/** The length of a binary message's header in bytes. The header is the number of the tab. */
const HEAD = 4;

/** Encodes the binary message for text that was typed into a tab. */
export function typedMessage(tab: number, text: string): Uint8Array<ArrayBuffer> {
  const typed = new TextEncoder().encode(text);
  const message = new Uint8Array(HEAD + typed.length);
  new DataView(message.buffer).setUint32(0, tab);
  message.set(typed, HEAD);
  return message;
}

/** Parses a message with output of a tab. Returns null for a message that is too short. */
export function parseOutput(buffer: ArrayBuffer): { tab: number; bytes: Uint8Array } | null {
  if (buffer.byteLength < HEAD) return null;
  return { tab: new DataView(buffer).getUint32(0), bytes: new Uint8Array(buffer, HEAD) };
}

/** Opens the WebSocket of the terminals. */
export function openTerminals(token: string, handlers: TerminalHandlers): TerminalLink {
  const socket = openSocket('/ws/terminals');
  const open = () => socket.readyState === WebSocket.OPEN;
  const send = (message: Omit<TerminalMessage, 'v'>) => {
    if (open()) socket.send(JSON.stringify({ v: 1, ...message }));
  };
  socket.onopen = () => send({ kind: 'hello', token });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') {
      handlers.update(JSON.parse(data) as TerminalUpdate);
      return;
    }
    const output = parseOutput(data);
    if (output) handlers.output(output.tab, output.bytes);
  };
  socket.onclose = () => handlers.closed();
  return {
    send,
    type: (tab, text) => {
      if (open()) socket.send(typedMessage(tab, text));
    },
    close: () => socket.close(),
  };
}
