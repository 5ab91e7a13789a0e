import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { ModelServer, type Answer } from './model-server';
import { sendMessage, openSettings, Sextant } from './sextant';

let sextant: Sextant;
let model: ModelServer;
test.afterEach(async () => {
  await sextant.stop();
  await model.stop();
});

/** Starts the program with a model that gives these answers, and opens the window. */
async function open(page: Page, answers: Answer[]): Promise<void> {
  model = await ModelServer.start(answers);
  sextant = await Sextant.start({
    env: model.env,
  });
  await page.goto(sextant.window());
}

/** The approval above the composer. */
const question = (page: Page): Locator => page.getByRole('alertdialog').first();

/** A message of the assistant. */
const said = (page: Page, text: string): Locator =>
  page.getByRole('region', { name: 'Conversation' }).getByText(text, { exact: true });

const bash = (command: string) => ({ name: 'bash', args: { command, description: 'A command of the test' } });

test('a command shows its output while it runs and can be stopped', async ({ page }) => {
  await open(page, [
    { calls: [bash('echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; while :; do sleep 0.05; done')] },
  ]);
  await sendMessage(page, 'count');
  const output = page.getByRole('region', { name: 'Conversation' }).locator('.live-output');
  await expect(output).toHaveText('first', { timeout: 20_000 });
  await writeFile(join(sextant.work, 'go'), '');
  await expect(output).toContainText('firstsecond');
  await page.getByRole('button', { name: /^Stop/ }).first().click();
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
});

test('a command is approved in one sentence, and each answer covers what it says', async ({ page }) => {
  const call = { calls: [bash('date +%N > made')] };
  await open(page, [
    call,
    { text: 'Done.' },
    call,
    { text: 'Again.' },
    call,
    { text: 'More.' },
    call,
    { text: 'Last.' },
  ]);

  await sendMessage(page, 'one');
  await expect(question(page)).toContainText('Create made with “date +%N > made”?', { timeout: 20_000 });
  await expect(question(page)).toContainText('The assistant says: “A command of the test”');
  await question(page).getByRole('button', { name: 'Give a reason' }).click();
  await page.getByRole('textbox', { name: /reason/i }).fill('not now');
  await page.keyboard.press('Enter');
  await expect(said(page, 'Done.')).toBeVisible();

  await sendMessage(page, 'two');
  await question(page).getByRole('button', { name: 'Allow once' }).click();
  await expect(said(page, 'Again.')).toBeVisible();

  // "Once" does not cover the next call.
  await sendMessage(page, 'three');
  await question(page).getByRole('button', { name: 'More choices' }).click();
  await page.getByRole('radio', { name: /This conversation/ }).click();
  await page.getByRole('button', { name: /Allow/ }).last().click();
  await expect(said(page, 'More.')).toBeVisible();

  await sendMessage(page, 'four');
  await expect(said(page, 'Last.')).toBeVisible({ timeout: 20_000 });
  await openSettings(page, /Grants/);
  const row = page.getByRole('row').filter({ hasText: 'bash' });
  await expect(row).toContainText('1 time');
  await row.getByRole('button', { name: /Revoke/ }).click();
  await expect(page.getByText('No grants yet.')).toBeVisible();

  await openSettings(page, /Audit log/);
  const log = page.getByRole('main', { name: 'Settings' });
  await log.getByRole('button', { name: /made/ }).first().click();
  await expect(log.getByText('Why', { exact: true })).toBeVisible();
});

test('a command that would be asked about is tried on a copy first', async ({ page }) => {
  const tidy = 'import os, shutil\nprint("tidied")\nopen("list.txt", "a").write("c\\n")\nshutil.rmtree("build")\n';
  await open(page, [
    { calls: [bash('python3 count.py')] },
    { text: 'Two lines.' },
    { calls: [bash('python3 tidy.py')] },
    { text: 'Left alone.' },
    { calls: [bash('python3 tidy.py')] },
    { text: 'Tidied.' },
  ]);
  const file = (name: string) => readFile(join(sextant.work, name), 'utf8');
  await writeFile(join(sextant.work, 'list.txt'), 'a\nb\n');
  await mkdir(join(sextant.work, 'build'));
  await writeFile(join(sextant.work, 'build/old.o'), 'old');
  await writeFile(join(sextant.work, 'count.py'), 'print(len(open("list.txt").readlines()))');
  await writeFile(join(sextant.work, 'tidy.py'), tidy);

  await sendMessage(page, 'how many lines are in the list?');
  await expect(said(page, 'Two lines.')).toBeVisible({ timeout: 20_000 }); // without a question

  await sendMessage(page, 'tidy up');
  await expect(question(page)).toContainText('Change list.txt and delete build/ (1 file) with “python3 tidy.py”?', {
    timeout: 20_000,
  });
  const difference = question(page).getByRole('region', { name: 'What changes' });
  await expect(difference).toContainText('deleted build/ (1 file)');
  await expect(difference.locator('.add')).toHaveText(/c$/);
  expect(await file('list.txt')).toBe('a\nb\n');
  await question(page).getByRole('button', { name: 'Deny' }).click();
  await expect(said(page, 'Left alone.')).toBeVisible();
  expect(await file('build/old.o')).toBe('old');

  await sendMessage(page, 'tidy up, please');
  await question(page).getByRole('button', { name: 'Allow once' }).click({ timeout: 20_000 });
  await expect(said(page, 'Tidied.')).toBeVisible();
  expect(await file('list.txt')).toBe('a\nb\nc\n');
  await expect(file('build/old.o')).rejects.toThrow('ENOENT');
  const changed = page.getByRole('region', { name: 'Files changed by this answer' });
  await changed.getByRole('button', { name: 'Undo' }).click();
  await expect(changed).toContainText('Undid');
  expect(await file('build/old.o')).toBe('old');
});

test('file changes of a turn are listed and undone with one click', async ({ page }) => {
  await open(page, [
    {
      calls: [
        { name: 'write_file', args: { path: 'new.txt', content: 'made\n' } },
        { name: 'edit_file', args: { path: 'old.txt', old: 'before', new: 'after' } },
      ],
    },
    { text: 'Both are written.' },
  ]);
  const old = join(sextant.work, 'old.txt');
  await writeFile(old, 'before\n');
  await page.getByRole('radio', { name: 'Workspace' }).click();
  await sendMessage(page, 'write');
  await expect(said(page, 'Both are written.')).toBeVisible({ timeout: 20_000 });
  expect(await readFile(old, 'utf8')).toBe('after\n');

  const changed = page.getByRole('region', { name: 'Files changed by this answer' });
  await changed.getByRole('button', { name: /2 files changed/ }).click();
  await expect(changed.getByRole('region', { name: /old\.txt/ })).toContainText('after');
  await changed.getByRole('button', { name: 'Undo' }).click();
  await expect(changed).toContainText('Undid 2 file changes');
  expect(await readFile(old, 'utf8')).toBe('before\n');
  await expect(readFile(join(sextant.work, 'new.txt'))).rejects.toThrow('ENOENT');
});

test('file changes of a command are attributed to it and undone with one click', async ({ page }) => {
  await open(page, [
    { calls: [bash('echo after > old.txt; echo made > new.txt; rm gone.txt; grep -c . old.txt')] },
    { text: 'It ran.' },
  ]);
  const file = (name: string) => readFile(join(sextant.work, name), 'utf8');
  await writeFile(join(sextant.work, 'old.txt'), 'before\n');
  await writeFile(join(sextant.work, 'gone.txt'), 'still here\n');
  await page.getByRole('radio', { name: 'Workspace' }).click();
  await sendMessage(page, 'run');
  await question(page).getByRole('button', { name: 'Allow once' }).click({ timeout: 20_000 });
  await expect(said(page, 'It ran.')).toBeVisible({ timeout: 20_000 });
  expect(await file('old.txt')).toBe('after\n');
  await expect(file('gone.txt')).rejects.toThrow('ENOENT');

  const changed = page.getByRole('region', { name: 'Files changed by this answer' });
  await changed.getByRole('button', { name: /3 files changed/ }).click();
  for (const did of [
    /^gone\.txt.*removed by a command$/,
    /^new\.txt.*new by a command$/,
    /^old\.txt.*changed by a command$/,
  ]) {
    await expect(changed.getByRole('paragraph').filter({ hasText: did })).toBeVisible();
  }
  await changed.getByRole('button', { name: 'Undo' }).click();
  await expect(changed).toContainText('Undid 3 file changes');
  expect(await file('old.txt')).toBe('before\n');
  expect(await file('gone.txt')).toBe('still here\n');
  await expect(file('new.txt')).rejects.toThrow('ENOENT');
});

test('a deleted conversation comes back with Undo, and is deleted without', async ({ page }) => {
  await open(page, [{ text: 'Noted.' }]);
  await sendMessage(page, 'remember the lamp');
  await expect(said(page, 'Noted.')).toBeVisible();
  const remove = async () => {
    await page.getByRole('button', { name: 'Conversation menu' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(said(page, 'Noted.')).toHaveCount(0);
    await expect(page.getByText(/^Deleted “/)).toBeVisible();
  };
  await remove();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('The audit log keeps what was run.');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(said(page, 'Noted.')).toBeVisible();
  await remove();
  const left = async () => (await sextant.api<{ conversations: unknown[] }>('GET', '/api/state')).conversations.length;
  await expect.poll(left, { timeout: 20_000 }).toBe(0);
});
