import AxeBuilder from '@axe-core/playwright';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Sextant, sendMessage, conversation } from './sextant';

let sextant: Sextant;
test.beforeEach(async () => {
  sextant = await Sextant.start();
});
test.afterEach(() => sextant.stop());

const panel = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true });
/** Cards of calls, without the answered approvals, which look the same. */
const cards = (page: Page) =>
  conversation(page)
    .locator('.call')
    .filter({ has: page.getByRole('button') });
const tool = (name: string, args: object) => `/${name} ${JSON.stringify(args)}`;

test('a file named in the conversation opens in the editor at its line', async ({ page }) => {
  await mkdir(join(sextant.work, 'src'));
  await writeFile(join(sextant.work, 'src/main.go'), 'package main\n\n// gone.go:1 is not there\nfunc main() {\n}\n');
  await page.goto(sextant.window());
  await sendMessage(page, tool('search_files', { pattern: 'func|gone' }));
  const link = conversation(page).getByRole('link', { name: 'src/main.go:4' }).last();
  await expect(link).toBeVisible();
  // A file that does not exist is no link.
  await expect(conversation(page).getByRole('link', { name: /gone\.go/ })).toHaveCount(0);
  await link.click();
  await expect(page.getByRole('textbox', { name: 'Text of main.go' })).toBeVisible();
  await expect(page.getByText('Line 4, column 1')).toBeVisible();

  // From the card of a call that read the file, by keyboard.
  await sendMessage(page, tool('read_file', { path: 'src/main.go', offset: 3, limit: 1 }));
  await expect(
    conversation(page).getByRole('button', { name: 'Open src/main.go at line 3 in the editor' }),
  ).toHaveCount(1);
  await panel(page, 'Home').click();
  await conversation(page).getByRole('button', { name: 'Open src/main.go at line 3 in the editor' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Line 3, column 1')).toBeVisible();
});

test('the tools of notes and files use what is open and selected', async ({ page }) => {
  await writeFile(join(sextant.work, 'a.txt'), 'some text\n');
  await page.goto(sextant.window());
  await panel(page, 'Notes').click();
  await page.getByRole('button', { name: 'New note' }).last().click();
  await page.getByRole('textbox', { name: /^Text of note/ }).click();
  await page.keyboard.type('A heron stood there.');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await sendMessage(page, tool('notes_read', {}));
  await expect(conversation(page).getByText('A heron stood there.').last()).toBeVisible();
  await panel(page, 'Files').click();
  await page.getByRole('treeitem', { name: 'a.txt' }).click();
  await expect(page.getByRole('region', { name: 'Preview of a.txt' })).toContainText('some text');
  await sendMessage(page, tool('files_rename', { to: 'b.txt' }));
  const question = page.locator('[data-surface="question"]');
  await expect(question).toContainText('a.txt');
  await question.getByRole('button', { name: /once/i }).click();
  await expect(page.getByRole('treeitem', { name: 'b.txt' })).toBeVisible();
});

test('a bookmark can be added, removed by a tool call and restored by undo', async ({ page }) => {
  await page.goto(sextant.window());
  await sendMessage(page, 'open demo');
  await expect(page.getByRole('tab', { name: /Desk lamps/ })).toBeVisible();
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Bookmark this page' }).click();
  const starred = main.getByRole('button', { name: 'Bookmarked. Remove the bookmark' });
  await expect(starred).toHaveAttribute('aria-pressed', 'true');
  await main.getByRole('button', { name: 'Bookmarks', exact: true }).click();
  const bookmark = page.getByRole('button', { name: /^Open Desk lamps/ });
  await expect(bookmark).toHaveCount(1);
  const { violations } = await new AxeBuilder({ page }).include('[data-region=stage]').analyze();
  expect(violations.map((v) => v.id)).toEqual([]);
  await page.keyboard.press('Escape');

  await sendMessage(page, tool('browser_bookmark_remove', { url: 'http://demo.sextant.test/lamps/desk' }));
  await expect(main.getByRole('button', { name: 'Bookmark this page' })).toBeVisible();
  await conversation(page)
    .getByRole('region', { name: 'Files changed by this answer' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(starred).toBeVisible();
  await starred.click();
  await expect(main.getByRole('button', { name: 'Bookmark this page' })).toBeVisible();
});

test('a terminal command is one card that shows its output and that it waits', async ({ page }) => {
  await page.goto(sextant.window());
  await panel(page, 'Terminal').click();
  await sendMessage(page, tool('terminal_run', { command: 'echo made-$((40+2)) > made.txt; cat made.txt' }));
  const question = page.locator('[data-surface="question"]');
  await expect(question).toBeVisible();
  await expect(cards(page)).toHaveCount(1);
  await expect(cards(page)).toContainText(/wait/i);
  await question.getByRole('button', { name: /once/i }).click();
  await expect(cards(page)).toContainText('made-42');
  await expect(cards(page)).toHaveCount(1);
  await page.reload();
  await expect(cards(page)).toHaveCount(1);
});

test('every built-in panel can be pinned', async ({ page }) => {
  await page.goto(sextant.window());
  for (const name of [
    'Home',
    'Browser',
    'Code editor',
    'Files',
    'Terminal',
    'Tools and activity',
    'MCP servers',
    'Notes',
    'Settings',
  ]) {
    await panel(page, name).click();
    const main = page.getByRole('main', { name });
    await main.getByRole('button', { name: /^Keep this panel’s tools/ }).click();
    await main.getByRole('button', { name: /^This panel’s tools stay/ }).click();
    await expect(main.getByRole('button', { name: /^Keep this panel’s tools/ })).toBeVisible();
  }
});

test('a tool widens the activity bar, and the card of a terminal shows no animation', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(sextant.window());
  const home = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Home', exact: true });
  await expect(home).toHaveText('');
  await sextant.execute('expand_activity_bar');
  await expect(home).toHaveText('Home');
  await sextant.execute('collapse_activity_bar');
  await expect(home).toHaveText('');

  const spinner = conversation(page).locator('.call .spinner');
  for (const [name, animated] of [
    ['bash', true],
    ['terminal_run', false],
  ] as const) {
    await panel(page, 'Terminal').click();
    await sendMessage(page, tool(name, { command: 'sleep 60' }));
    await expect(spinner).toHaveCount(1);
    expect(await spinner.evaluate((element) => element.getAnimations().length > 0)).toBe(animated);
    await page.locator('.composer').getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(spinner).toHaveCount(0);
  }
});
