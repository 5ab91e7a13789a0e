import { openSocket } from './socket';
import type { TerminalMessage, TerminalUpdate } from './types';

/** What a connection to the terminals delivers; `closed` comes exactly once and last. */
export interface TerminalHandlers {
  news(news: TerminalUpdate): void;
  output(tab: number, bytes: Uint8Array): void;
  closed(): void;
}

export interface TerminalLink {
  send(message: Omit<TerminalMessage, 'v'>): void;
  /** Sends what a person typed into a tab. */
  type(tab: number, text: string): void;
  close(): void;
}

/** Length of a binary message's header, the tab's number, in bytes. */
const HEAD = 4;

/** The binary message for text typed into a tab. */
export function typedMessage(tab: number, text: string): Uint8Array<ArrayBuffer> {
  const typed = new TextEncoder().encode(text);
  const message = new Uint8Array(HEAD + typed.length);
  new DataView(message.buffer).setUint32(0, tab);
  message.set(typed, HEAD);
  return message;
}

/** Reads the output of a tab; null for any other message. */
export function parseOutput(buffer: ArrayBuffer): { tab: number; bytes: Uint8Array } | null {
  if (buffer.byteLength < HEAD) return null;
  return { tab: new DataView(buffer).getUint32(0), bytes: new Uint8Array(buffer, HEAD) };
}

/** Opens the socket of the terminals. */
export function openTerminals(token: string, handlers: TerminalHandlers): TerminalLink {
  const socket = openSocket('/ws/terminals');
  const open = () => socket.readyState === WebSocket.OPEN;
  const send = (message: Omit<TerminalMessage, 'v'>) => {
    if (open()) socket.send(JSON.stringify({ v: 1, ...message }));
  };
  socket.onopen = () => send({ kind: 'hello', token });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') {
      handlers.news(JSON.parse(data) as TerminalUpdate);
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
