import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { ModelServer, type Answer } from './model-server';
import { openSettings, sendMessage, Sextant } from './sextant';

let sextant: Sextant;
let model: ModelServer;
test.afterEach(async () => {
  await sextant.stop();
  await model.stop();
});

const NOTES = ['# Shopping', '', '- bread', '- milk', '- tea', '', '# Later', '', '- lamp', ''].join('\n');

async function open(page: Page, answers: Answer[]): Promise<void> {
  model = await ModelServer.start(answers);
  sextant = await Sextant.start({ env: model.env });
  await writeFile(join(sextant.work, 'notes.txt'), NOTES);
  await writeFile(join(sextant.work, 'other.txt'), NOTES);
  await page.goto(sextant.window());
}

const notes = () => readFile(join(sextant.work, 'notes.txt'), 'utf8');
const question = (page: Page): Locator => page.getByRole('alertdialog').first();
const said = (page: Page, text: string): Locator =>
  page.getByRole('region', { name: 'Conversation' }).getByText(text, { exact: true });
const edit = (old: string, now: string, path = 'notes.txt') => ({
  calls: [{ name: 'edit_file', args: { path, old, new: now } }],
});

/** Stores a picture for a person to look at, if the environment names a folder for pictures. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SEXTANT_PICTURES;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

test('a file change is asked in a sentence with its diff, and “this file” covers the next edit of it only', async ({
  page,
}) => {
  await open(page, [
    edit('- bread\n- milk\n', '- rye bread\n- oat milk\n- eggs\n'),
    { text: 'First.' },
    edit('- tea', '- green tea'),
    { text: 'Second.' },
    edit('- tea', '- black tea', 'other.txt'),
    { text: 'Third.' },
  ]);
  await sendMessage(page, 'one');
  await expect(question(page).getByRole('heading')).toHaveText('Change 3 lines in notes.txt?', { timeout: 20_000 });
  await expect(question(page)).toContainText('Ask mode confirms every file change.');
  await expect(question(page).getByRole('region', { name: 'What changes' })).toContainText('- rye bread');
  await question(page).getByRole('button', { name: 'More choices' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Change 3 lines in notes.txt?' }).last();
  await expect(dialog.locator('.diff.split')).toBeVisible();
  await dialog.getByRole('radio', { name: /This file/ }).click();
  await dialog.getByRole('button', { name: /Allow for this file/ }).click();
  await expect(said(page, 'First.')).toBeVisible();
  // The card of the call says what was done, and nothing says it again.
  await expect(page.getByRole('region', { name: 'Conversation' }).getByText(/notes\.txt/)).toHaveCount(1);

  await sendMessage(page, 'two');
  await expect(said(page, 'Second.')).toBeVisible({ timeout: 20_000 });
  expect(await notes()).toContain('- rye bread\n- oat milk\n- eggs\n- green tea');

  // One press of D declines; the neighbour was not covered.
  await sendMessage(page, 'three');
  await expect(question(page).getByRole('heading')).toHaveText('Change 1 line in other.txt?', { timeout: 20_000 });
  await question(page).focus();
  await expect(async () => {
    await page.keyboard.press('d');
    await expect(said(page, 'Third.')).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(await readFile(join(sextant.work, 'other.txt'), 'utf8')).toBe(NOTES);

  await openSettings(page, /Grants/);
  const row = page.getByRole('row').filter({ hasText: 'Every change of notes.txt, in this conversation.' });
  await row.getByRole('button', { name: /Revoke/ }).click();
  await expect(page.getByText('No grants yet.')).toBeVisible();
});

for (const scheme of ['dark', 'light'] as const)
  test(`a question and its dialog have no accessibility violations, ${scheme}`, async ({ page }) => {
    await open(page, [edit('- bread\n- milk\n', '- rye bread\n- oat milk\n- eggs\n'), { text: 'Done.' }]);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await sendMessage(page, 'one');
    await expect(question(page).getByRole('heading')).toBeVisible({ timeout: 20_000 });
    await picture(page, `card-${scheme}`);
    expect((await new AxeBuilder({ page }).include('[data-surface=question]').analyze()).violations).toEqual([]);
    await question(page).getByRole('button', { name: 'More choices' }).click();
    await expect(page.getByRole('radio', { name: /This file/ })).toContainText('Every change of notes.txt');
    await picture(page, `dialog-${scheme}`);
    expect((await new AxeBuilder({ page }).include('.dialog').analyze()).violations).toEqual([]);
  });

test('the new text of a file is edited before it is written', async ({ page }) => {
  await open(page, [edit('- tea', '- coffee'), { text: 'Done.' }]);
  await sendMessage(page, 'change it');
  await question(page).getByRole('button', { name: 'Edit first' }).click({ timeout: 20_000 });
  const text = page.getByRole('textbox', { name: 'New text' });
  await expect(text).toHaveValue('- coffee');
  await text.fill('- mint tea');
  await picture(page, 'edit');
  expect((await new AxeBuilder({ page }).include('[role=alertdialog]').analyze()).violations).toEqual([]);
  await question(page).getByRole('button', { name: 'Allow edited' }).click();
  await expect(said(page, 'Done.')).toBeVisible();
  expect(await notes()).toContain('- milk\n- mint tea\n');
  await openSettings(page, /Audit log/);
  const log = page.getByRole('main', { name: 'Settings' });
  await log
    .getByRole('button', { name: /notes\.txt/ })
    .first()
    .click();
  await expect(log).toContainText('mint tea');
  await expect(log).not.toContainText('coffee');
});

test('Full is confirmed with what it means', async ({ page }) => {
  await open(page, [{ text: 'Hello.' }]);
  const full = page.getByRole('radio', { name: 'Full' });
  await full.click();
  const dialog = page.getByRole('alertdialog', { name: 'Switch to Full mode?' });
  await expect(dialog).toContainText('without asking');
  await picture(page, 'full');
  expect((await new AxeBuilder({ page }).include('[role=alertdialog]').analyze()).violations).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(full).not.toBeChecked();
  await full.click();
  await dialog.getByRole('button', { name: 'Switch to Full' }).click();
  await expect(full).toBeChecked();
});

test('what the assistant said before a call is in its question and in the details of its card', async ({ page }) => {
  const reason = 'The list says tea, and you drink green tea.';
  await open(page, [{ text: reason, ...edit('- tea', '- green tea') }, { text: 'Changed.' }]);
  await sendMessage(page, 'correct my list');
  await expect(question(page)).toContainText(`The assistant says: “${reason}”`, { timeout: 20_000 });
  await question(page)
    .getByRole('button', { name: /Allow once/ })
    .click();
  await expect(said(page, 'Changed.')).toBeVisible();
  await page.locator('.call').getByRole('button', { expanded: false }).first().click();
  await expect(page.locator('.call-details')).toContainText(`The assistant says: “${reason}”`);
});
