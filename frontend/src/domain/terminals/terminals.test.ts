import { expect, test } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Terminal, TerminalUpdate } from '../../shared/api/types';
import type { TerminalHandlers } from '../../shared/api/terminals';
import { typedMessage, parseOutput } from '../../shared/api/terminals';
import { Terminals } from './terminals.svelte';

const tab = (number: number, more: Partial<Terminal> = {}): Terminal => ({
  tab: number,
  assistant: false,
  state: 'running',
  code: 0,
  shared: false,
  ...more,
});

function play() {
  const sent: unknown[] = [];
  let handlers: TerminalHandlers | undefined;
  const backend = {
    terminals: (h: TerminalHandlers) => {
      handlers = h;
      return {
        send: (m: unknown) => sent.push(m),
        type: (n: number, text: string) => sent.push([n, text]),
        close: () => {},
      };
    },
  } as unknown as Backend;
  const terminals = new Terminals(backend);
  const leave = terminals.watch();
  const send = (kind: TerminalUpdate['kind'], more = {}) => handlers?.update({ v: 1, kind, tabs: [], ...more });
  return { terminals, sent, send, leave, output: (n: number, b: Uint8Array) => handlers?.output(n, b) };
}

test('selects the neighbor of a closed tab', () => {
  const { terminals, send } = play();
  send('tabs', { tabs: [tab(1), tab(2), tab(3)] });
  expect(terminals.chosen).toBe(1);
  terminals.choose(2);
  send('tabs', { tabs: [tab(1), tab(3)] });
  expect(terminals.chosen).toBe(3);
  send('tabs', { tabs: [] });
  expect(terminals.chosen).toBe(0);
});

test('draws the output of its tab, acknowledges it and clears the screen for a replay', () => {
  const { terminals, send, sent, output } = play();
  send('tabs', { tabs: [tab(1), tab(2)] });
  const drawn: string[] = [];
  const stop = terminals.show(2, {
    reset: (replay) => drawn.push(`reset ${replay}`),
    write: (bytes, done) => {
      drawn.push(new TextDecoder().decode(bytes));
      done();
    },
  });
  send('watching', { tab: 2, bytes: 5 });
  output(2, new TextEncoder().encode('hello'));
  output(1, new TextEncoder().encode('other'));
  expect(drawn).toEqual(['reset 5', 'hello']);
  expect(sent).toContainEqual({ kind: 'drawn', tab: 2, bytes: 5 });
  // The output of a hidden tab counts as drawn, so that its program does not wait.
  expect(sent).toContainEqual({ kind: 'drawn', tab: 1, bytes: 5 });
  stop();
  expect(sent.at(-1)).toEqual({ kind: 'leave', tab: 2 });
});

test('watches the shown tab again after a reconnect', () => {
  const { terminals, send, sent } = play();
  send('tabs', { tabs: [tab(1)] });
  terminals.show(1, { reset: () => {}, write: () => {} });
  terminals.connected = false;
  sent.length = 0;
  send('tabs', { tabs: [tab(1)] });
  expect(sent).toEqual([{ kind: 'watch', tab: 1 }]);
});

test('encodes typed text with its tab', () => {
  const message = typedMessage(70000, 'é\u0003');
  expect(parseOutput(message.buffer)).toEqual({ tab: 70000, bytes: new TextEncoder().encode('é\u0003') });
  expect(parseOutput(new ArrayBuffer(3))).toBeNull();
});
