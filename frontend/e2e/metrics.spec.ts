import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant } from './sextant';

let sextant: Sextant;
let model: ModelServer;
test.beforeEach(async () => {
  model = await ModelServer.start([
    { calls: [{ name: 'list_directory', args: { path: '.' } }] },
    { text: 'It is empty.' },
    { text: 'Hello.' },
  ]);
  sextant = await Sextant.start({
    env: { SEXTANT_OPENAI_BASE_URL: model.url, SEXTANT_DIALECTS: 'openai/test-model=native' },
  });
});
test.afterEach(async () => {
  await sextant.stop();
  await model.stop();
});

async function open(page: Page, panel: RegExp): Promise<void> {
  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: panel }).click();
}

/** The cells of a tool's row. */
const cells = (page: Page, tool: string) => page.getByRole('row').filter({ hasText: tool }).getByRole('cell');

test('calls, failures, approvals, rounds and tokens are counted and update live', async ({ page }) => {
  await page.goto(sextant.window());
  await open(page, /Tools and activity/);
  await page.getByRole('button', { name: 'Metrics' }).click();

  await sendMessage(page, '/tool {"tool":"read_file","args":{"path":"missing.txt"}}');
  const row = cells(page, 'read_file');
  await expect(row.nth(1)).toHaveText('1', { timeout: 20_000 });
  await expect(row.nth(2)).toHaveText('1 (100%)');

  // One more failure shows without a click; then an approval is declined.
  await sextant.execute('read_file', { path: 'missing-too.txt' });
  await expect(row.nth(1)).toHaveText('2');
  await expect(row.nth(2)).toHaveText('2 (100%)');
  await sendMessage(page, '/tool {"tool":"bash","args":{"command":"touch a b","description":"Makes files"}}');
  await page.getByRole('alertdialog').first().getByRole('button', { name: 'Deny' }).click();
  const asked = cells(page, 'bash');
  await expect(asked.nth(5)).toHaveText('1, 1 declined');
  await expect(asked.nth(3)).toHaveText('–');

  // Two turns of a model: one with a call and two rounds, one without. Each round reads 100 tokens and writes 20.
  const { id } = await sextant.api<{ id: string }>('POST', '/api/conversations', {});
  for (const text of ['what is here', 'hello'])
    await expect(async () => {
      await sextant.api('POST', `/api/conversations/${id}/messages`, { text, model: 'openai/test-model' });
    }).toPass({ timeout: 10_000 });
  await expect(page.getByRole('img', { name: /^Tokens over time: 360, \d+ of them for tools$/ })).toBeVisible({
    timeout: 20_000,
  });
  await expect(page.getByText('1 turn, 240 tokens each')).toBeVisible();
  await expect(page.getByText('1 turn, 120 tokens each')).toBeVisible();
  await expect(page.getByRole('row', { name: /^openai\/test-model 2 3 / })).toBeVisible();
  await expect(page.getByRole('img', { name: 'Calls over time: 5 calls, 2 failed' })).toBeVisible();
  await expect(page.getByRole('img', { name: 'Turns by number of rounds: 4 turns' })).toBeVisible();

  // The same figures as a table.
  await page.locator('summary').filter({ hasText: 'Turns by number of rounds' }).click();
  const figures = page.getByRole('region', { name: 'Turns by number of rounds: 4 turns' });
  await expect(figures.getByRole('row', { name: '1 1 0' })).toBeVisible();
  await expect(figures.getByRole('row', { name: '2 1 2' })).toBeVisible();

  await page.getByRole('button', { name: 'read_file', exact: true }).click();
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => (document.documentElement.dataset.theme = name), theme);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
  }
});

test('a tool shows its durations and failures, which link to the audit log', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.execute('list_directory', { path: '.' });
  await sextant.execute('list_directory', { path: 'nowhere' });
  await sextant.execute('system_info', {});
  await open(page, /Tools and activity/);
  await page.getByRole('button', { name: 'Metrics' }).click();
  await expect(cells(page, 'list_directory').nth(2)).toHaveText('1 (50%)');
  await expect(page.getByText('Nothing measured')).toBeHidden();

  // Sort by name, then in reverse.
  const names = page.locator('tbody code');
  await page.getByRole('button', { name: 'Tool', exact: true }).click();
  await expect(names).toHaveText(['list_directory', 'open_tools_panel', 'system_info']);
  await page.getByRole('button', { name: 'Tool', exact: true }).click();
  await expect(names).toHaveText(['system_info', 'open_tools_panel', 'list_directory']);
  for (const range of ['7 days', '30 days', 'All']) {
    await page.getByRole('radio', { name: range }).click();
    await expect(page.getByRole('img', { name: 'Calls over time: 4 calls, 1 failed' })).toBeVisible();
  }
  await page.getByRole('button', { name: 'All origins' }).click();
  await page
    .getByRole('menuitem', { name: 'MCP servers' })
    .or(page.getByRole('menuitemradio', { name: 'MCP servers' }))
    .click();
  await expect(page.getByRole('img', { name: 'Calls over time: 0 calls, 0 failed' })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'MCP servers', exact: true }).click();
  await page
    .getByRole('menuitem', { name: 'All origins' })
    .or(page.getByRole('menuitemradio', { name: 'All origins' }))
    .click();

  await page.getByRole('button', { name: 'list_directory', exact: true }).click();
  const one = page.getByRole('region', { name: 'Durations and failures of list_directory' });
  await expect(one.getByRole('img', { name: /^Durations of list_directory over time: median \d+ ms/ })).toBeVisible();
  await expect(one.getByRole('listitem')).toHaveCount(1);
  await one.getByRole('button', { name: /Show in audit log/ }).click();
  await expect(page.getByRole('main', { name: 'Settings' })).toBeVisible();
  const entry = page.getByRole('button', { name: /list_directory/ });
  await expect(entry).toHaveCount(1);
  await expect(entry).toHaveAttribute('aria-expanded', 'true');
});
