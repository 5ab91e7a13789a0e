import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Canary } from './canary';
import { all, filled, page } from './run';

/** A stub of the bridge: there is no window to talk to. */
const bridge = `<script>window.sextant = {
  ready: Promise.resolve(),
  state: { set: async () => {}, get: async () => null },
  call: () => Promise.reject(new Error()),
};</script>`;

/** Shows one page after another in a frame without a sandbox. */
const driver = `<!doctype html><title>Without sandbox</title><body><script>(async () => {
  for (;;) {
    const { src } = await (await fetch('/next')).json();
    if (!src) break;
    const frame = document.createElement('iframe');
    frame.src = src;
    document.body.replaceChildren(frame);
  }
})();</script>`;

/**
 * The suite's control: serves the pages of hostile panels without content security policy, sandbox or window, and
 * opens them with `show` in the same browser engine. Returns which pages reached the canary within `patience`
 * milliseconds, and which did not in two attempts: a busy machine loses one now and then.
 */
export async function withoutSandbox(
  canary: Canary,
  ids: string[],
  show: (url: string) => Promise<unknown>,
  patience: number,
): Promise<{ heard: string[]; unheard: string[] }> {
  const heard: string[] = [];
  const unheard: string[] = [];
  const left = [...ids];
  const retried = new Set<string>();
  let over = () => {};
  const done = new Promise<void>((resolve) => (over = resolve));
  const settle = async (id: string) => {
    const end = Date.now() + patience;
    while (Date.now() < end && !canary.contacts.some(({ panel }) => panel === id))
      await new Promise((next) => setTimeout(next, 20));
    if (canary.contacts.some(({ panel }) => panel === id)) heard.push(id);
    else if (retried.has(id)) unheard.push(id);
    else {
      retried.add(id);
      left.unshift(id);
    }
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const html = (text: string) => response.setHeader('Content-Type', 'text/html').end(text);
    if (path === '/') return html(driver);
    if (path === '/next') {
      void (async () => {
        if (canary.panel) await settle(canary.panel);
        const id = left.shift();
        canary.panel = id ?? '';
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ src: id && `/${id}` }));
        if (!id) over();
      })();
      return;
    }
    const panel = all[path.slice(1)];
    if (!panel) return response.writeHead(404).end();
    html(filled(bridge + (panel.html ?? page(panel.script ?? '')), canary, 'http://127.0.0.1:9', ''));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  canary.panel = '';
  try {
    await show(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await Promise.race([done, new Promise((end) => setTimeout(end, 2 * patience * (ids.length + 1)))]);
    return { heard, unheard: [...unheard, ...left] };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
