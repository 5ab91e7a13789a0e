import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { say, settings, Sextant } from './sextant';

let sextant: Sextant;
test.beforeEach(async () => {
  sextant = await Sextant.start();
});
test.afterEach(() => sextant.stop());

const script = '/tool {"tool":"evaluate_script","args":{"script":"document.title"}}';

test('a grant is given in an answer, is listed with its uses, and asks again when it is taken back', async ({
  page,
}) => {
  await page.goto(sextant.window());
  await settings(page, /Grants/);
  await expect(page.getByText('No grants yet.')).toBeVisible();
  await say(page, 'open demo');
  await expect(page.getByText('Opened demo.sextant.test').first()).toBeVisible({ timeout: 20_000 });

  await say(page, script);
  const ask = page.getByRole('alertdialog').filter({ hasText: 'evaluate_script' }).first();
  await ask.getByRole('button', { name: 'More choices' }).click();
  await page.getByRole('radio', { name: /Always/ }).click();
  await page.getByRole('button', { name: 'Always allow' }).click();
  await expect(ask).toBeHidden();

  await say(page, script);
  await settings(page, /Grants/);
  const row = page.getByRole('row').filter({ hasText: 'evaluate_script' });
  await expect(row).toContainText('Always');
  await expect(row).toContainText('1 time');

  await row.getByRole('button', { name: /Revoke/ }).click();
  await expect(page.getByText('No grants yet.')).toBeVisible();
  await say(page, script);
  await expect(page.getByRole('alertdialog').filter({ hasText: 'evaluate_script' }).first()).toBeVisible();
});

test('a rule made in the settings forbids at once, and is removed there', async ({ page }) => {
  await page.goto(sextant.window());
  await settings(page, /Grants/);
  await page.getByRole('radiogroup', { name: 'Never' }).getByRole('radio', { name: 'Tool' }).click();
  await page.getByRole('textbox', { name: 'Tool' }).fill('evaluate_script');
  await page.getByRole('button', { name: 'Forbid' }).click();
  const row = page.getByRole('row').filter({ hasText: 'evaluate_script, never.' });
  await expect(row).toContainText('Never');

  await say(page, script);
  await expect(page.getByText(/a rule forbids it: evaluate_script, never/).first()).toBeVisible({ timeout: 20_000 });
  await row.getByRole('button', { name: /Remove/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove 1 rule' }).click();
  await expect(page.getByText('No grants yet.')).toBeVisible();
});

test('the audit log says what a call did and why it ran, and that its chain holds', async ({ page }) => {
  await page.goto(sextant.window());
  await say(page, 'open demo');
  await expect(page.getByText('Opened demo.sextant.test').first()).toBeVisible({ timeout: 20_000 });
  await settings(page, /Audit log/);
  await page.getByRole('textbox', { name: 'Search words, tool or call' }).fill('navigate_page');
  const entry = page.getByRole('button', { name: /navigate_page/ }).first();
  await entry.click();
  await expect(page.getByText('Why', { exact: true })).toBeVisible();
  await expect(page.getByText(/No question was needed · /).first()).toBeVisible();
  await page.getByRole('button', { name: 'Verify log' }).click();
  await expect(page.getByText(/\d+ rows are intact/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Search words, tool or call' }).fill('no such words');
  await expect(page.getByText('No call contains “no such words”.')).toBeVisible();
});

test('mode, limits and look are changed in the settings and say where they come from', async ({ page }) => {
  // A change of the look is judged as it will be, not half through.
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
  await settings(page, /General/);
  await page.getByRole('radio', { name: 'Light' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await settings(page, /All settings/);
  const limit = page.locator('[data-setting=calls_per_turn]');
  await expect(limit.getByRole('textbox')).toHaveValue('25');
  await expect(limit).toContainText('This window');
  const mode = page.locator('[data-setting=mode]');
  await expect(mode.getByRole('radio', { name: 'workspace' })).toBeChecked();
  await expect(mode).toContainText('This window');
  for (const section of [/General/, /Mode and limits/, /Grants/, /Created tools/, /Audit log/, /Every setting/]) {
    await settings(page, section);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
  }
});

test('a tool is made after its body was read, works, and is deleted', async ({ page }) => {
  await page.goto(sextant.window());
  await settings(page, /Created tools/);
  await expect(page.getByText('No created tools yet.')).toBeVisible();
  const body = 'await tools.open_home_panel({}); return (await tools.get_active_panel({}))';
  await say(
    page,
    `/tool ${JSON.stringify({ tool: 'create_tool', args: { name: 'go_home', description: 'Goes home', body } })}`,
  );
  const ask = page.getByRole('alertdialog').filter({ hasText: 'create_tool' }).first();
  await expect(ask).toContainText('await tools.open_home_panel({})');
  await ask.getByRole('button', { name: 'Allow once' }).click();
  const tool = page.getByRole('article', { name: 'go_home' });
  await expect(tool).toContainText('Calls get_active_panel, open_home_panel');
  await say(page, '/tool {"tool":"go_home","args":{}}');
  await expect(page.getByRole('main', { name: 'Home' })).toBeVisible();
  await settings(page, /Created tools/);
  await tool.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No created tools yet.')).toBeVisible();
});

test('every setting says what it does, is changed where it stands, refuses what it cannot take, and goes back', async ({
  page,
}) => {
  await page.goto(sextant.window());
  await settings(page, /All settings/);
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
  await settings(page, /All settings/);
  await page.getByRole('button', { name: /^Changed/ }).click();
  await expect(field).toHaveValue('60');
  await row.getByRole('button', { name: 'Restore default' }).click();
  await expect(row).toBeHidden();
  const { violations } = await new AxeBuilder({ page }).include('.settings').analyze();
  expect(violations.map((v) => v.id)).toEqual([]);
});
