import AxeBuilder from '@axe-core/playwright';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { sendMessage, openSettings, Sextant } from './sextant';

let sextant: Sextant;
test.beforeEach(async () => {
  sextant = await Sextant.start();
});
test.afterEach(() => sextant.stop());

const script = '/tool {"tool":"evaluate_script","args":{"script":"document.title"}}';

test('a grant is listed with its uses, and revoking it makes the tool ask again', async ({ page }) => {
  await page.goto(sextant.window());
  await openSettings(page, /Grants/);
  await expect(page.getByText('No grants yet.')).toBeVisible();
  await sendMessage(page, 'open demo');
  await expect(page.getByText('Opened demo.sextant.test').first()).toBeVisible({ timeout: 20_000 });

  await sendMessage(page, script);
  const ask = page.getByRole('alertdialog').filter({ hasText: 'Run a script on' }).first();
  await ask.getByRole('button', { name: 'More choices' }).click();
  await page.getByRole('radio', { name: /Always/ }).click();
  await page.getByRole('button', { name: 'Always allow' }).click();
  await expect(ask).toBeHidden();

  await sendMessage(page, script);
  await openSettings(page, /Grants/);
  const row = page.getByRole('row').filter({ hasText: 'evaluate_script' });
  await expect(row).toContainText('Always');
  await expect(row).toContainText('1 time');

  await row.getByRole('button', { name: /Revoke/ }).click();
  await expect(page.getByText('No grants yet.')).toBeVisible();
  await sendMessage(page, script);
  await expect(page.getByRole('alertdialog').filter({ hasText: 'Run a script on' }).first()).toBeVisible();
});

test('a deny rule takes effect at once and can be removed', async ({ page }) => {
  await page.goto(sextant.window());
  await openSettings(page, /Grants/);
  await page.getByRole('radiogroup', { name: 'Never' }).getByRole('radio', { name: 'Tool' }).click();
  await page.getByRole('textbox', { name: 'Tool' }).fill('evaluate_script');
  await page.getByRole('button', { name: 'Forbid' }).click();
  const row = page.getByRole('row').filter({ hasText: 'evaluate_script, never.' });
  await expect(row).toContainText('Never');

  await sendMessage(page, script);
  await expect(page.getByText(/a rule forbids it: evaluate_script, never/).first()).toBeVisible({ timeout: 20_000 });
  await row.getByRole('button', { name: /Remove/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove 1 rule' }).click();
  await expect(page.getByText('No grants yet.')).toBeVisible();
});

test('the audit log shows what a call did and why it ran, and its chain verifies', async ({ page }) => {
  await page.goto(sextant.window());
  await sendMessage(page, 'open demo');
  await expect(page.getByText('Opened demo.sextant.test').first()).toBeVisible({ timeout: 20_000 });
  await openSettings(page, /Audit log/);
  const found = page.waitForResponse(/\/api\/.*navigate_page/);
  await page.getByRole('textbox', { name: 'Search words, tool or call' }).fill('navigate_page');
  await found; // the list is replaced
  const entry = page.getByRole('button', { name: /navigate_page/ }).first();
  await entry.click();
  await expect(page.getByText('Why', { exact: true })).toBeVisible();
  await expect(page.getByText(/No question was needed · /).first()).toBeVisible();
  await page.getByRole('button', { name: 'Verify log' }).click();
  await expect(page.getByText(/\d+ rows are intact/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Search words, tool or call' }).fill('no such words');
  await expect(page.getByText('No call contains “no such words”.')).toBeVisible();
});

test('mode, limits and theme can be changed and show where their values come from', async ({ page }) => {
  // Axe must not measure contrast in the middle of a transition.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(sextant.window());
  await page.getByRole('navigation', { name: 'Panels' }).waitFor();
  await page.keyboard.press('Control+,');
  await page
    .getByRole('main', { name: 'Settings' })
    .getByRole('radio', { name: /Workspace/ })
    .check();
  const calls = page.getByRole('textbox', { name: 'Calls' });
  await calls.fill('none');
  await calls.press('Enter');
  await expect(page.getByText('"none" is no whole number from 1 to 9999')).toBeVisible();
  await calls.fill('25');
  await calls.press('Enter');
  await expect(page.getByText('"none" is no whole number from 1 to 9999')).toBeHidden();
  await openSettings(page, /General/);
  await page.getByRole('radio', { name: 'Light' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await openSettings(page, /All settings/);
  const limit = page.locator('[data-setting=calls_per_turn]');
  await expect(limit.getByRole('textbox')).toHaveValue('25');
  await expect(limit).toContainText('This window');
  const mode = page.locator('[data-setting=mode]');
  await expect(mode.getByRole('radio', { name: 'workspace' })).toBeChecked();
  await expect(mode).toContainText('This window');
  for (const section of [/General/, /Mode and limits/, /Grants/, /Created tools/, /Audit log/, /All settings/]) {
    await openSettings(page, section);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
  }
});

test('a created tool shows its body for approval, works and can be deleted', async ({ page }) => {
  await page.goto(sextant.window());
  await openSettings(page, /Created tools/);
  await expect(page.getByText('No created tools yet.')).toBeVisible();
  const body = 'await tools.open_home_panel({}); return (await tools.get_active_panel({}))';
  await sendMessage(
    page,
    `/tool ${JSON.stringify({ tool: 'create_tool', args: { name: 'go_home', description: 'Goes home', body } })}`,
  );
  const ask = page.getByRole('alertdialog').filter({ hasText: 'Make the tool' }).first();
  await expect(ask).toContainText('await tools.open_home_panel({})');
  await ask.getByRole('button', { name: 'Allow once' }).click();
  const tool = page.getByRole('article', { name: 'go_home' });
  await expect(tool).toContainText('Calls get_active_panel, open_home_panel');
  await sendMessage(page, '/tool {"tool":"go_home","args":{}}');
  await expect(page.getByRole('main', { name: 'Home' })).toBeVisible();
  await openSettings(page, /Created tools/);
  await tool.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No created tools yet.')).toBeVisible();
});

test('every setting can be found, changed in place, rejected when invalid and reset', async ({ page }) => {
  await page.goto(sextant.window());
  await openSettings(page, /All settings/);
  await page.getByRole('textbox', { name: 'Search settings' }).fill('window percent');
  const rows = page.locator('.setting');
  await expect(rows).toHaveCount(1);
  const row = rows.filter({ hasText: 'context_share' });
  const field = row.getByRole('textbox', { name: 'context_share' });
  await field.fill('lots');
  await field.press('Enter');
  await expect(row).toContainText('"lots" is no whole number from 1 to 100');
  await expect(field).toHaveValue('lots');
  await field.fill('60');
  await field.press('Enter');
  await expect(row).toContainText('This window');

  await page.reload();
  await openSettings(page, /All settings/);
  await page.getByRole('button', { name: /^Changed/ }).click();
  await expect(field).toHaveValue('60');
  await row.getByRole('button', { name: 'Restore default' }).click();
  await expect(row).toBeHidden();
  const { violations } = await new AxeBuilder({ page }).include('.settings').analyze();
  expect(violations.map((v) => v.id)).toEqual([]);
});

test('the window starts in the message box, and Ctrl+, moves into Settings', async ({ page }) => {
  await page.goto(sextant.window());
  await expect(page.getByRole('textbox', { name: 'Message to the assistant' })).toBeFocused();
  await page.keyboard.press('Control+,');
  const sections = page.getByRole('navigation', { name: 'Settings sections' });
  await expect(sections.locator('[aria-current=page]')).toBeFocused();
});

test('a shortcut is changed, taken from another command, removed and restored', async ({ page }) => {
  await page.goto(sextant.window());
  await openSettings(page, /Keyboard/);
  const change = (title: string) => page.getByRole('button', { name: `Change the shortcut of ${title}` });
  const theme = change('Change theme');
  await expect(theme).toHaveText('none');
  await theme.click();
  await page.keyboard.press('c');
  await expect(page.getByText(/C types or edits text/)).toBeVisible();
  await theme.click();
  await page.keyboard.press('Control+b');
  await expect(theme).toHaveText('Ctrl B');
  await expect(page.getByText('Ctrl B was the shortcut of “Expand or collapse the activity bar”')).toBeVisible();
  await expect(change('Expand or collapse the activity bar')).toHaveText('none');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.keyboard.press('Control+b');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await openSettings(page, /Keyboard/);
  await expect(theme).toHaveText('Ctrl B');
  for (const title of ['Change theme', 'Expand or collapse the activity bar']) {
    await page.locator('.setting-line', { hasText: title }).getByRole('button', { name: 'Restore default' }).click();
  }
  await expect(theme).toHaveText('none');
  await expect(change('Expand or collapse the activity bar')).toHaveText('Ctrl B');
});

test('a site is forgotten, and the data of all sites is deleted once it is confirmed', async ({ page }) => {
  const server = createServer((_, answer) => {
    answer.setHeader('Set-Cookie', ['a=1; Max-Age=99', 'b=2; Max-Age=99']);
    answer.end('<title>Site with cookies</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const visit = async () => {
    await sendMessage(page, `open http://127.0.0.1:${port}`);
    await expect(page.getByText('Opened “Site with cookies”').first()).toBeVisible({ timeout: 20_000 });
  };
  try {
    await page.goto(sextant.window());
    await openSettings(page, /Browser/);
    await page.getByRole('button', { name: 'Show the sites' }).click();
    await expect(page.getByText('No site has stored cookies.')).toBeVisible({ timeout: 20_000 });
    await visit();
    await openSettings(page, /Browser/);
    const row = page.getByRole('row').filter({ hasText: '127.0.0.1' });
    await expect(row).toContainText('2');
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await row.getByRole('button', { name: 'Forget 127.0.0.1' }).click();
    const ask = page.getByRole('alertdialog');
    await ask.getByRole('button', { name: 'Forget the site' }).click();
    await expect(page.getByText('Forgot 127.0.0.1.')).toBeVisible();
    await expect(row).toHaveCount(0);

    await sendMessage(page, 'reload');
    await expect(page.getByText('Opened “Site with cookies”').nth(1)).toBeVisible({ timeout: 20_000 });
    await openSettings(page, /Browser/);
    await expect(row).toBeVisible({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Delete all site data' }).click();
    await expect(ask).toContainText('signed out everywhere');
    await ask.getByRole('button', { name: 'Cancel' }).click();
    await expect(row).toBeVisible();
    await page.getByRole('button', { name: 'Delete all site data' }).click();
    await ask.getByRole('button', { name: 'Delete all site data' }).click();
    await expect(page.getByText('Deleted the data of all sites.')).toBeVisible();
    await expect(row).toHaveCount(0);
  } finally {
    server.close();
  }
});
