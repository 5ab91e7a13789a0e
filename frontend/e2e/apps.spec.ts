import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Sextant, sendMessage, conversation } from './sextant';

// A view as MCP Apps defines it, with nothing but window.parent.postMessage: it shows what it was sent and has one
// button for each request it may make.
const VIEW = `<!doctype html><html><body style="margin:0;font:14px sans-serif">
<p id="mode"></p><p id="input"></p><p id="result"></p><p id="said"></p>
<button id="move">Move</button><button id="plan">Plan</button><button id="link">Link</button>
<button id="stage">Stage</button><button id="small">Small</button><button id="words">Words</button>
<script>
const at = (id) => document.getElementById(id);
let next = 1; const waiting = {};
const send = (m) => window.parent.postMessage({ jsonrpc: '2.0', ...m }, '*');
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting[next] = { resolve, reject };
  send({ id: next++, method, params });
});
window.addEventListener('message', ({ source, data }) => {
  if (source !== window.parent) return;
  const { id, method, params, result, error } = data;
  if (method === 'ui/notifications/tool-input') at('input').textContent = 'input ' + params.arguments.start;
  else if (method === 'ui/notifications/tool-result')
    at('result').textContent = 'result ' + params.structuredContent.at + ' ' + params._meta.by;
  else if (method === 'ui/notifications/host-context-changed') at('mode').textContent = 'mode ' + params.displayMode;
  else if (method === 'ui/resource-teardown') send({ id, result: {} });
  else if (waiting[id]) error ? waiting[id].reject(error) : waiting[id].resolve(result);
});
const say = (text) => { at('said').textContent = text; };
const fails = (error) => say('refused ' + error.message);
(async () => {
  const { hostContext } = await ask('ui/initialize', {
    appInfo: { name: 'board', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26',
  });
  at('mode').textContent = 'mode ' + hostContext.displayMode + ' ' + hostContext.toolInfo.tool.name;
  send({ method: 'ui/notifications/initialized', params: {} });
  send({ method: 'ui/notifications/size-changed', params: { width: 300, height: 333 } });
  at('move').onclick = () =>
    ask('tools/call', { name: 'move', arguments: { by: 2 } })
      .then((r) => say('moved ' + r.structuredContent.at), fails);
  at('plan').onclick = () =>
    ask('tools/call', { name: 'plan', arguments: {} }).then((r) => say('plan failed ' + r.isError), fails);
  at('link').onclick = () => ask('ui/open-link', { url: 'https://example.com/board' }).then(() => say('opened'), fails);
  at('stage').onclick = () =>
    ask('ui/request-display-mode', { mode: 'fullscreen' }).then((r) => say('now ' + r.mode), fails);
  at('small').onclick = () => ask('ui/request-display-mode', { mode: 'pip' }).then((r) => say('now ' + r.mode), fails);
  at('words').onclick = () =>
    ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'move on' }] }).then(() => say('taken'), fails);
})();
</script></body></html>`;

// A server with three tools: one whose result the page shows, one only for the page, one only for the model.
const SERVER = `
const page = ${JSON.stringify(VIEW)};
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\\n');
const schema = { type: 'object', properties: { start: { type: 'integer' }, by: { type: 'integer' } } };
const tool = (name, ui) => ({
  name,
  description: 'Does ' + name + '.',
  inputSchema: schema,
  _meta: { ui: { resourceUri: 'ui://board', ...ui } },
});
let at = 0;
const does = {
  initialize: ({ protocolVersion: v }) => ({
    protocolVersion: v > '2025-06-18' ? '2025-06-18' : v,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'board', version: '1' },
  }),
  'tools/list': () => ({
    tools: [tool('board', {}), tool('move', { visibility: ['app'] }), tool('plan', { visibility: ['model'] })],
  }),
  'tools/call': ({ name, arguments: { start, by } }) => {
    at = name === 'move' ? at + by : (start ?? at);
    return { content: [{ type: 'text', text: 'at ' + at }], structuredContent: { at }, _meta: { by: name } };
  },
  'resources/read': ({ uri }) => ({
    contents: [
      {
        uri,
        mimeType: 'text/html;profile=mcp-app',
        text: page,
        _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] } } },
      },
    ],
  }),
};
let rest = '';
process.stdin.on('data', (d) => {
  rest += d;
  for (let end; (end = rest.indexOf('\\n')) >= 0; rest = rest.slice(end + 1)) {
    const m = JSON.parse(rest.slice(0, end));
    if (does[m.method]) say({ id: m.id, result: does[m.method](m.params ?? {}) });
    else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: 'not here' } });
  }
});
process.stdin.on('end', () => process.exit(0));
`;

let sextant: Sextant;
let folder: string;

let broken: string[] = [];

test.beforeEach(async ({ page }) => {
  broken = [];
  page.on('pageerror', (error) => broken.push(error.message));
  folder = await mkdtemp(join(tmpdir(), 'sextant-board-'));
  await writeFile(join(folder, 'server.mjs'), SERVER);
  await mkdir(join(folder, 'config'), { recursive: true });
  const config = { mcpServers: { board: { command: 'node', args: [join(folder, 'server.mjs')] } } };
  await writeFile(join(folder, 'config', 'mcp-config.json'), JSON.stringify(config));
  sextant = await Sextant.start({ dir: folder });
  await page.goto(sextant.window());
  await expect(page.getByText('MCP 1 of 1')).toBeVisible();
  await sendMessage(page, '/board__board {"start": 5}');
  await expect(page.locator('iframe')).toHaveCount(0);
  await page.getByRole('button', { name: /^Allow once/ }).click();
});
test.afterEach(async () => {
  expect(broken).toEqual([]);
  await sextant.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the content security policy of the framed page. */
async function policyOf(page: Page): Promise<string> {
  const src = await page.locator('iframe').getAttribute('src');
  return (await fetch(src!)).headers.get('content-security-policy') ?? '';
}

const view = (page: Page) => page.frameLocator('iframe[title="board app"]');

test('an MCP app shows its tool’s result and calls its server’s tools after approval', async ({ page }) => {
  const app = view(page);
  const wants = page.getByRole('group', { name: 'The board app wants to connect to' });
  await expect(wants.getByText('https://api.example.com')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  await wants.getByRole('button', { name: 'Allow for this server' }).click();
  await expect(app.locator('#mode')).toHaveText('mode inline board');
  expect(await policyOf(page)).toMatch(/connect-src [^;]*https:\/\/api\.example\.com/);
  await expect(app.locator('#input')).toHaveText('input 5');
  await expect(app.locator('#result')).toHaveText('result 5 board');
  await expect(conversation(page).locator('iframe')).toHaveCSS('height', '333px');

  await app.locator('#move').click();
  await expect(page.getByRole('heading', { name: 'Let board run “move”, for the app of board?' })).toBeVisible();
  await page.getByRole('button', { name: /^Allow once/ }).click();
  await expect(app.locator('#said')).toHaveText('moved 7');
  await expect(conversation(page).locator('code', { hasText: 'board__move' })).toHaveCount(0);

  await app.locator('#plan').click();
  await expect(app.locator('#said')).toHaveText('plan failed true');
  const { tools } = await sextant.api<{ tools: { function: { name: string } }[] }>('GET', '/api/ai/tools');
  const names = tools.map((tool) => tool.function.name).filter((name) => name.startsWith('board__'));
  expect(names).toEqual(expect.arrayContaining(['board__board', 'board__plan']));
  expect(names).not.toContain('board__move');

  // After a reload the newest app is shown again with its result.
  await page.reload();
  await expect(view(page).locator('#result')).toHaveText('result 5 board');
});

test('an MCP app asks before it opens a link or proposes a message, and can fill the stage or a small window', async ({
  page,
}) => {
  const app = view(page);
  await page.getByRole('button', { name: 'Continue without access' }).click();
  await app.locator('#link').click();
  expect(await policyOf(page)).not.toContain('api.example.com');
  const question = page.getByRole('alertdialog', { name: 'Open an address for the board app?' });
  await expect(question.getByText('https://example.com/board')).toBeVisible();
  await question.getByRole('button', { name: 'No' }).click();
  await expect(app.locator('#said')).toHaveText('refused The person declined.');

  await app.locator('#stage').click();
  await expect(app.locator('#said')).toHaveText('now fullscreen');
  await expect(app.locator('#mode')).toHaveText('mode fullscreen');
  const stage = (await page.getByRole('main').boundingBox())!;
  expect(await page.getByRole('dialog', { name: 'board app' }).boundingBox()).toEqual(stage);

  await app.locator('#small').click();
  await expect(app.locator('#mode')).toHaveText('mode pip');
  const small = page.getByRole('dialog', { name: 'board app' });
  await small.getByRole('button', { name: 'Move the floating window' }).focus();
  const before = (await small.boundingBox())!;
  await page.keyboard.press('ArrowLeft');
  await expect(async () => expect((await small.boundingBox())!.x).toBe(before.x - 24)).toPass();
  await small.getByRole('button', { name: 'Back to the conversation' }).click();
  await expect(app.locator('#mode')).toHaveText('mode inline');

  const composer = page.getByRole('textbox', { name: 'Message to the assistant' });
  await expect(async () => {
    await app.locator('#words').click(); // after a refusal it must wait for a moment
    await expect(page.getByText('suggests a message to the assistant')).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(composer).toHaveValue('');
  await page.getByRole('button', { name: 'Insert into message' }).click();
  await expect(composer).toHaveValue('move on');
  await expect(page.getByRole('list', { name: 'Attached to the message' }).getByText('Text from board')).toBeVisible();

  await page.getByRole('button', { name: 'Close the app' }).click();
  await expect(page.locator('iframe')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the board app' }).click();
  await page.getByRole('button', { name: 'Continue without access' }).click(); // a refusal is not remembered
  await expect(app.locator('#result')).toHaveText('result 5 board');
});
