import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';

// A minimal stdio server with one tool that echoes a word.
const SERVER = `
process.stderr.write('listening for words\\n');
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\\n');
const serverInfo = { name: 'words', version: '1' };
const version = ({ params: { protocolVersion: v } }) => (v > '2025-06-18' ? '2025-06-18' : v);
const inputSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
let rest = '';
process.stdin.on('data', (d) => {
  rest += d;
  for (let at; (at = rest.indexOf('\\n')) >= 0; rest = rest.slice(at + 1)) {
    const m = JSON.parse(rest.slice(0, at));
    if (m.method === 'initialize')
      say({ id: m.id, result: { protocolVersion: version(m), capabilities: { tools: {} }, serverInfo } });
    else if (m.method === 'tools/list')
      say({ id: m.id, result: { tools: [{ name: 'echo', description: 'Says a word back.', inputSchema }] } });
    else if (m.method === 'tools/call')
      say({ id: m.id, result: { content: [{ type: 'text', text: 'heard ' + m.params.arguments.word }] } });
    else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: 'not here' } });
  }
});
process.stdin.on('end', () => process.exit(0));
`;

let sextant: Sextant;
let folder: string;

test.beforeEach(async ({ page }) => {
  folder = await mkdtemp(join(tmpdir(), 'sextant-words-'));
  await writeFile(join(folder, 'server.mjs'), SERVER);
  sextant = await Sextant.start();
  await page.goto(sextant.window());
  await page
    .getByRole('navigation', { name: 'Panels' })
    .getByRole('button', { name: /^MCP servers/ })
    .click();
});
test.afterEach(async () => {
  await sextant.stop();
  await rm(folder, { recursive: true });
});

const main = (page: Page) => page.getByRole('main');

async function expectAccessible(page: Page) {
  const found = await new AxeBuilder({ page }).analyze();
  expect(found.violations.map((v) => `${v.id}: ${v.nodes[0]?.target}`)).toEqual([]);
}

test('a server can be added, tried, changed, switched off and removed', async ({ page }) => {
  await expect(page.getByText('No MCP servers yet')).toBeVisible();
  await main(page).getByRole('button', { name: 'Add server' }).click();
  const form = page.getByRole('dialog', { name: 'Add server' });
  await form.getByRole('button', { name: 'Add and start' }).click();
  await expect(form.getByText('Enter a name')).toBeVisible();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('words');
  // A command line, as documentation gives it, is split.
  await form.getByRole('textbox', { name: 'Command' }).fill(`node ${join(folder, 'server.mjs')}`);
  await form.getByRole('textbox', { name: 'Command' }).blur();
  await expect(form.getByRole('textbox', { name: 'Command' })).toHaveValue('node');
  await expect(form.getByRole('textbox', { name: /^Arguments/ })).toHaveValue(join(folder, 'server.mjs'));
  await form.getByRole('button', { name: 'Add and start' }).click();
  await expect(main(page).getByRole('radio', { name: 'Tools 1' })).toBeVisible();
  await main(page).getByRole('radio', { name: 'Log' }).click();
  await expect(main(page).getByText('listening for words')).toBeVisible();
  await main(page).getByRole('radio', { name: 'Tools 1' }).click();
  await expectAccessible(page);
  await main(page)
    .getByRole('button', { name: /^words__echo/ })
    .click();
  await main(page).getByRole('textbox', { name: 'word' }).fill('plumb');
  await main(page).getByRole('button', { name: 'Run words__echo' }).click();
  const allow = page.getByRole('button', { name: /^Allow/ }).first();
  await expect(
    main(page)
      .getByText(/heard plumb/)
      .or(allow),
  ).toBeVisible();
  if (await allow.isVisible()) await allow.click();
  await expect(main(page).getByText(/heard plumb/)).toBeVisible();

  await main(page).getByRole('button', { name: 'Edit' }).click();
  const change = page.getByRole('dialog', { name: 'words' });
  await change.getByRole('textbox', { name: 'Command' }).fill('no-such-program-here');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(main(page).getByRole('alert')).toContainText('no-such-program-here');
  await main(page).getByRole('switch', { name: 'words on' }).click();
  await expect(main(page).getByRole('switch', { name: 'words on' })).toHaveAttribute('aria-checked', 'false');
  const config = JSON.parse(await readFile(join(sextant.dir, 'config', 'mcp-config.json'), 'utf8')) as {
    mcpServers: Record<string, { disabled?: boolean }>;
  };
  expect(config.mcpServers.words?.disabled).toBe(true);
  await main(page).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('No MCP servers yet')).toBeVisible();
});

test('imported servers are switched off and start nothing', async ({ page }) => {
  const marker = join(folder, 'ran');
  await main(page).getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import servers' });
  await dialog.getByRole('textbox').fill('nonsense');
  const look = dialog.getByRole('button', { name: 'Preview' });
  await look.click();
  await expect(page.getByText(/neither JSON nor a bundle/)).toBeVisible();
  await dialog.getByRole('textbox').fill(
    JSON.stringify({
      mcpServers: { theirs: { command: 'touch', args: [marker] }, far: { url: 'https://x.example' } },
    }),
  );
  await look.click();
  await expect(dialog.getByText(`touch ${marker}`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Add 2, switched off' }).click();
  await expect(main(page).getByRole('navigation', { name: 'Servers' }).getByRole('button')).toHaveCount(2);
  await main(page)
    .getByRole('button', { name: /^theirs/ })
    .click();
  await expect(main(page).getByRole('switch', { name: 'theirs on' })).toHaveAttribute('aria-checked', 'false');
  await expect(readFile(marker)).rejects.toThrow();
});
