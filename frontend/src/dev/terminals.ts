import type { TerminalHandlers, TerminalLink } from '../shared/api/terminals';
import type { Terminal, TerminalUpdate } from '../shared/api/types';

/** Plays two terminals: a shell that echoes its input, and a terminal of the assistant whose command has ended. */
export function playTerminals(handlers: TerminalHandlers): TerminalLink {
  const tabs: Terminal[] = [
    { tab: 1, assistant: false, state: 'running', code: 0, shared: false },
    { tab: 2, assistant: true, state: 'ended', code: 1, command: 'npm test', reason: 'exit 1', shared: false },
  ];
  const report = (kind: TerminalUpdate['kind'], more = {}) => handlers.update({ v: 1, kind, tabs, ...more });
  const print = (tab: number, text: string) => handlers.output(tab, new TextEncoder().encode(text));
  setTimeout(() => report('tabs'), 20);
  return {
    send: (message) => {
      if (message.kind !== 'watch') return;
      report('watching', { tab: message.tab, bytes: 0 });
      print(
        message.tab ?? 1,
        message.tab === 2 ? '$ npm test\r\n\u001b[31m1 failed\u001b[0m\r\n' : 'ada@desk:~/shop$ ',
      );
    },
    type: (tab, text) => print(tab, text),
    close: () => {},
  };
}
