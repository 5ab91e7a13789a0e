import type { TerminalHandlers, TerminalLink } from './backend';
import type { TerminalMessage, TerminalNews } from './types';

/** The bytes of a binary message before its text: the tab's number. */
const HEAD = 4;

/** What was typed into a tab, as it travels. */
export function typedMessage(tab: number, text: string): Uint8Array<ArrayBuffer> {
  const typed = new TextEncoder().encode(text);
  const message = new Uint8Array(HEAD + typed.length);
  new DataView(message.buffer).setUint32(0, tab);
  message.set(typed, HEAD);
  return message;
}

/** Output of a tab, null for a message that is none. */
export function parseOutput(buffer: ArrayBuffer): { tab: number; bytes: Uint8Array } | null {
  if (buffer.byteLength < HEAD) return null;
  return { tab: new DataView(buffer).getUint32(0), bytes: new Uint8Array(buffer, HEAD) };
}

/** Opens the socket of the terminals. */
export function openTerminals(token: string, handlers: TerminalHandlers): TerminalLink {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${location.host}/ws/terminals`);
  socket.binaryType = 'arraybuffer';
  const open = () => socket.readyState === WebSocket.OPEN;
  const send = (message: Omit<TerminalMessage, 'v'>) => {
    if (open()) socket.send(JSON.stringify({ v: 1, ...message }));
  };
  socket.onopen = () => send({ kind: 'hello', token });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') {
      handlers.news(JSON.parse(data) as TerminalNews);
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
