import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';

// A view as the MCP Apps specification defines it: nothing but window.parent.postMessage.
const plain = `<!doctype html><html><head><style>
body {
  background: var(--color-background-primary, #fff);
  color: var(--color-text-primary, #000);
  font: 14px var(--font-sans, serif);
}
</style></head>
<body><h1>Plain view</h1><p id="theme"></p><p id="result"></p><p id="refused"></p>
<button id="say">Propose</button><script>
let next = 1; const waiting = {};
const ask = (method, params) => new Promise((resolve, reject) => { const id = next++; waiting[id] = { resolve, reject };
  window.parent.postMessage({ jsonrpc: '2.0', id, method, params }, '*'); });
window.addEventListener('message', (event) => {
  if (event.source !== window.parent) return;
  const { id, method, params, result, error } = event.data;
  if (method === 'ui/notifications/host-context-changed') document.getElementById('theme').textContent = params.theme;
  else if (waiting[id]) error ? waiting[id].reject(error) : waiting[id].resolve(result);
});
(async () => {
  const { hostContext, protocolVersion } = await ask('ui/initialize', {
    appCapabilities: {}, appInfo: { name: 'plain', version: '1' }, protocolVersion: '2026-01-26',
  });
  window.parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} }, '*');
  document.getElementById('theme').textContent = hostContext.theme;
  const called = await ask('tools/call', { name: 'plain_view_seen', arguments: { text: 'x' } });
  document.getElementById('result').textContent = protocolVersion + ' ' + called.isError + ' ' + called.content[0].type;
  await ask('tools/call', { name: 'bash', arguments: { command: 'id' } }).then((r) => {
    document.getElementById('refused').textContent = 'isError ' + r.isError;
  });
  document.getElementById('say').onclick = () =>
    ask('ui/message', { role: 'user', content: { type: 'text', text: 'open demo' } });
})();
</script></body></html>`;

const withBridge = `<!doctype html><title>Counter</title><h1>Counter</h1>
<output id="n">…</output><button id="more">More</button><script type="module">
import { step } from './step.js';
await sextant.ready;
let n = (await sextant.state.get())?.n ?? 0;
const show = () => { document.getElementById('n').textContent = 'n is ' + n; };
show();
document.getElementById('more').onclick = async () => { n += step; show(); await sextant.state.set({ n }); };
</script>`;

async function put(sextant: Sextant, id: string, files: Record<string, string>, more = {}): Promise<void> {
  const dir = join(sextant.data, 'panels', id);
  await mkdir(dir, { recursive: true });
  const manifest = {
    panel_id: id,
    panel_type: 'test',
    title: id.replace('-', ' '),
    ui: { kind: 'webview', entry: 'index.html' },
    tools: [],
    ...more,
  };
  for (const [name, text] of Object.entries({ ...files, 'manifest.json': JSON.stringify(manifest) })) {
    await writeFile(join(dir, name), text);
  }
}

const open = (page: Page, title: RegExp) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: title }).click();

test('a view written for MCP Apps works unchanged: theme, its own tools, messages a person accepts', async ({
  page,
}) => {
  const sextant = await Sextant.start();
  try {
    await put(
      sextant,
      'plain-view',
      { 'index.html': plain },
      {
        backend: { kind: 'http', url: 'http://127.0.0.1:9' },
        tools: [
          {
            name: 'plain_view_seen',
            description: 'Tells that it was seen.',
            endpoint: 'GET /api/plain-view/seen',
            parameters: { text: { type: 'string' } },
          },
        ],
      },
    );
    await page.goto(sextant.window());
    await open(page, /plain view/);
    const view = page.frameLocator('iframe[title="plain view"]');
    await expect(view.locator('#result')).toHaveText('2026-01-26 true text');
    await expect(view.locator('#refused')).toHaveText('isError true');
    await expect(view.locator('#theme')).toHaveText(/^(dark|light)$/);
    const was = await view.locator('#theme').textContent();
    await page.evaluate((t) => (document.documentElement.dataset.theme = t === 'dark' ? 'light' : 'dark'), was);
    await expect(view.locator('#theme')).not.toHaveText(was!);
    await view.locator('#say').click();
    const composer = page.getByRole('textbox', { name: 'Message to the assistant' });
    await expect(page.getByText('suggests a message to the assistant')).toBeVisible();
    await expect(composer).toHaveValue('');
    await page.getByRole('button', { name: 'Insert into message' }).click();
    await expect(composer).toHaveValue('open demo');
    expect(await sextant.turnsOver()).toBe(0);
    await page.getByRole('radio', { name: 'Tools' }).click();
    await expect(page.locator('iframe')).toHaveCount(0);
  } finally {
    await sextant.stop();
  }
});

test('a page keeps its state, loads its own modules and reloads when a file changes', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await put(sextant, 'counter', { 'index.html': withBridge, 'step.js': 'export const step = 1;' });
    await page.goto(sextant.window());
    await open(page, /counter/);
    const view = page.frameLocator('iframe');
    await expect(view.locator('#n')).toHaveText('n is 0');
    await view.locator('#more').click();
    await expect(view.locator('#n')).toHaveText('n is 1');
    await writeFile(join(sextant.data, 'panels', 'counter', 'step.js'), 'export const step = 10;');
    await expect(async () => {
      await view.locator('#more').click({ timeout: 2000 });
      await expect(view.locator('#n')).toHaveText(/n is 1[1-9]/, { timeout: 500 });
    }).toPass();
  } finally {
    await sextant.stop();
  }
});
