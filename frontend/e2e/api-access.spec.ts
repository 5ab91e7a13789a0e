import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

let sextant: Sextant;
let foreign: Server;
let foreignURL: string;

test.beforeAll(async () => {
  sextant = await Sextant.start();
  foreign = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>foreign</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  foreignURL = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`;
});

test.afterAll(async () => {
  foreign.close();
  await sextant.stop();
});

test('a page of another origin gets no answer, even with the token', async ({ page }) => {
  await page.goto(foreignURL);
  const outcome = await page.evaluate(
    async ({ url, token }) => {
      const out: Record<string, string> = {};
      for (const [name, init] of Object.entries({
        plain: {},
        token: { headers: { Authorization: `Bearer ${token}` } },
        opaque: { mode: 'no-cors' as const },
      }))
        try {
          const r = await fetch(`${url}api/state`, init);
          out[name] = `${r.type} ${r.status}`;
        } catch {
          out[name] = 'refused';
        }
      return out;
    },
    { url: sextant.url, token: sextant.token },
  );
  expect(outcome.plain).toBe('refused');
  expect(outcome.token).toBe('refused');
  expect(['refused', 'opaque 0']).toContain(outcome.opaque);
});

test('a sandboxed frame with a null origin gets no answer', async ({ page }) => {
  await page.goto(foreignURL);
  const verdict = await page.evaluate(
    ({ url, token }) =>
      new Promise<string>((resolve) => {
        addEventListener('message', (e) => resolve(String(e.data)));
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts');
        frame.srcdoc = `<script>
          fetch(${JSON.stringify(`${url}api/state`)}, { headers: { Authorization: 'Bearer ${token}' } })
            .then((r) => parent.postMessage('answered ' + r.status, '*'))
            .catch(() => parent.postMessage('refused', '*'));
        </script>`;
        document.body.append(frame);
      }),
    { url: sextant.url, token: sextant.token },
  );
  expect(verdict).toBe('refused');
});

test('a page of another origin cannot open the event stream', async ({ page }) => {
  await page.goto(foreignURL);
  const verdict = await page.evaluate(
    (url) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      }),
    `${sextant.url.replace('http', 'ws')}ws`,
  );
  expect(verdict).toBe('refused');
});

test('without a key the window shows an explanation', async ({ page }) => {
  await page.goto(sextant.url);
  await expect(page.getByRole('heading').first()).toBeVisible();
});

test('the controlled browser cannot reach the program', async () => {
  const answer = await sextant.execute('navigate_page', { url: sextant.url });
  expect(answer.success).toBe(false);
});
