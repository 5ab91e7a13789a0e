import AxeBuilder from '@axe-core/playwright';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { say, Sextant, talk } from './sextant';

const env = (model: ModelServer) => ({
  ...model.env,
  SEXTANT_MODE: 'workspace',
});

const mine = (page: Page, text: string) => talk(page).getByRole('article').filter({ hasText: text });
const ways = (page: Page) => talk(page).getByRole('group', { name: /^Branch \d+ of/ });
const sent = (model: ModelServer) =>
  model.requests
    .at(-1)!
    .messages.filter((m) => m.role === 'user' || m.role === 'assistant')
    .map((m) => m.content)
    // What the panel in front offers is told beside what was said.
    .filter((said) => !String(said).startsWith('[From Sextant:'));

test('a message is edited and an answer asked for again, and each way stays and is gone back to', async ({ page }) => {
  const model = await ModelServer.start([
    { text: 'A list it is.' },
    { calls: [{ name: 'write_file', args: { path: 'list.txt', content: 'milk\n' } }] },
    { text: 'Milk is on it.' },
    { text: 'Bread, not written down.' },
    { text: 'Bread, in other words.' },
    { text: 'Eggs too.' },
    { text: 'The last word.' },
  ]);
  let sextant = await Sextant.start({ env: env(model) });
  try {
    await page.goto(sextant.window());
    await say(page, 'make a list');
    await expect(talk(page)).toContainText('A list it is.');
    await say(page, 'put milk on it');
    await expect(talk(page)).toContainText('Milk is on it.');
    await expect(ways(page)).toHaveCount(0);

    // By keyboard: the pen is reached, the words stand in the editor, Escape leaves all as it was.
    const pen = mine(page, 'put milk on it').getByRole('button', { name: 'Edit message' });
    await expect(pen).not.toHaveAttribute('aria-disabled', 'true');
    await pen.focus();
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    await expect(editor).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(pen).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(editor).toHaveValue('put milk on it');
    await editor.fill('say bread only');
    await editor.press('Enter');
    await expect(talk(page)).toContainText('Bread, not written down.');
    await expect(page.getByRole('textbox', { name: 'Message to the assistant' })).toBeFocused();
    await expect(talk(page)).not.toContainText('put milk on it');
    expect(sent(model)).toEqual(['make a list', 'A list it is.', 'say bread only']);
    // The file is still there, and that is told.
    await expect(talk(page)).toContainText('Another branch changed files, and switching does not undo that.');
    expect(await readFile(join(sextant.work, 'list.txt'), 'utf8')).toBe('milk\n');

    const first = mine(page, 'say bread only').getByRole('group', { name: /^Branch \d+ of/ });
    await expect(first).toContainText('2/2');
    await talk(page).getByRole('button', { name: 'Ask again' }).last().click();
    await expect(talk(page)).toContainText('Bread, in other words.');
    expect(sent(model)).toEqual(['make a list', 'A list it is.', 'say bread only']);
    await expect(ways(page)).toHaveCount(2);
    await expect(ways(page).last()).toContainText('2/2');
    const { violations } = await new AxeBuilder({ page }).include('[data-region=assistant]').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);

    // Back to the first way, with all that came of it; a turn more goes on there alone.
    await first.getByRole('button', { name: 'Previous branch' }).click();
    await expect(talk(page)).toContainText('Milk is on it.');
    await expect(talk(page)).toContainText('1 file changed');
    await expect(talk(page)).not.toContainText('Bread');
    await say(page, 'and eggs');
    await expect(talk(page)).toContainText('Eggs too.');
    expect(sent(model).at(-1)).toBe('and eggs');
    expect(JSON.stringify(sent(model))).not.toContain('bread');

    // It is the one that is shown after a crash; the others lead to where one was last.
    const dir = sextant.dir;
    await sextant.kill();
    sextant = await Sextant.start({ dir, env: env(model) });
    await page.goto(sextant.window());
    await page
      .getByRole('main')
      .getByRole('button', { name: /make a list/ })
      .click();
    await expect(talk(page)).toContainText('Eggs too.');
    const again = mine(page, 'put milk on it').getByRole('group', { name: /^Branch \d+ of/ });
    await expect(again).toContainText('1/2');
    await again.getByRole('button', { name: 'Next branch' }).focus();
    await page.keyboard.press('Enter');
    await expect(talk(page)).toContainText('Bread, in other words.');
    await expect(first.getByRole('button', { name: 'Next branch' })).toBeFocused();
    await ways(page).last().getByRole('button', { name: 'Previous branch' }).click();
    await expect(talk(page)).toContainText('Bread, not written down.');
    await say(page, 'done?');
    await expect(talk(page)).toContainText('The last word.');
    expect(sent(model)).toEqual([
      'make a list',
      'A list it is.',
      'say bread only',
      'Bread, not written down.',
      'done?',
    ]);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

test('nothing parts while a turn runs, and what was being edited is kept', async ({ page }) => {
  let open = () => {};
  const until = new Promise<void>((resolve) => (open = resolve));
  const model = await ModelServer.start([
    { text: 'One.' },
    { text: 'Other.' },
    { text: 'Wait for it.', until },
    { text: 'Edited at last.' },
  ]);
  const sextant = await Sextant.start({ env: env(model) });
  try {
    await page.goto(sextant.window());
    await say(page, 'one');
    await expect(talk(page)).toContainText('One.');
    await talk(page).getByRole('button', { name: 'Ask again' }).click();
    await expect(talk(page)).toContainText('Other.');
    await expect(ways(page)).toHaveCount(1);
    await mine(page, 'one').hover();
    await mine(page, 'one').getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('textbox', { name: 'Edit message' }).fill('one, mended');
    await say(page, 'two');
    await expect(talk(page)).toContainText('Wait for it.');
    for (const name of ['Previous branch', 'Ask again'])
      await expect(talk(page).getByRole('button', { name }).first()).toHaveAttribute('aria-disabled', 'true');
    const send = talk(page).getByRole('button', { name: 'Send' });
    await send.hover();
    await expect(page.getByText('Wait for the answer to finish, or stop it.')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('textbox', { name: 'Edit message' })).toHaveValue('one, mended');
    open();
    await expect(send).not.toHaveAttribute('aria-disabled', 'true');
    await send.click();
    await expect(talk(page)).toContainText('Edited at last.');
    await expect(talk(page)).not.toContainText('Wait for it.');
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

test('a switch in the middle of a long conversation stays under the pointer', async ({ page }) => {
  const long = (word: string, n: number) => Array.from({ length: n }, (_, i) => `${word} ${i}.`).join('\n\n');
  const model = await ModelServer.start([
    { text: long('Alpha', 60) },
    { text: long('Beta', 60) },
    { text: long('Gamma', 30) },
    { text: long('Delta', 60) },
  ]);
  const sextant = await Sextant.start({ env: env(model) });
  try {
    await page.goto(sextant.window());
    await say(page, 'one');
    await expect(talk(page)).toContainText('Alpha 59.');
    await say(page, 'two');
    await expect(talk(page)).toContainText('Beta 59.');
    await talk(page).getByRole('button', { name: 'Ask again' }).first().click();
    await expect(talk(page)).toContainText('Gamma 29.');
    await say(page, 'three');
    await expect(talk(page)).toContainText('Delta 59.');
    // What is above the switch and what is below it are of another length in each branch.
    await ways(page).evaluate((node) => node.scrollIntoView({ block: 'center' }));
    const place = async () => Math.round((await ways(page).boundingBox())!.y);
    const before = await place();
    await ways(page).getByRole('button', { name: 'Previous branch' }).click();
    await expect(talk(page)).toContainText('Beta 59.');
    await expect.poll(place).toBe(before);
    await ways(page).getByRole('button', { name: 'Next branch' }).click();
    await expect(talk(page)).toContainText('Delta 59.');
    await expect.poll(place).toBe(before);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
