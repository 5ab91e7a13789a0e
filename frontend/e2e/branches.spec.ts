import AxeBuilder from '@axe-core/playwright';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant, conversation } from './sextant';

const env = (model: ModelServer) => ({
  ...model.env,
  SEXTANT_MODE: 'workspace',
});

const userMessage = (page: Page, text: string) => conversation(page).getByRole('article').filter({ hasText: text });
const switches = (page: Page) => conversation(page).getByRole('group', { name: /^Branch \d+ of/ });
const sent = (model: ModelServer) =>
  model.requests
    .at(-1)!
    .messages.filter((m) => m.role === 'user' || m.role === 'assistant')
    .map((m) => m.content)
    // The active panel’s tools are announced in a separate message.
    .filter((said) => !String(said).startsWith('[From Sextant:'));

test('editing a message or retrying an answer adds a branch, and every branch can be opened again', async ({
  page,
}) => {
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
    await sendMessage(page, 'make a list');
    await expect(conversation(page)).toContainText('A list it is.');
    await sendMessage(page, 'put milk on it');
    await expect(conversation(page)).toContainText('Milk is on it.');
    await expect(switches(page)).toHaveCount(0);

    // By keyboard: Enter on the edit button opens the editor with the text, Escape changes nothing.
    const pen = userMessage(page, 'put milk on it').getByRole('button', { name: 'Edit message' });
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
    await expect(conversation(page)).toContainText('Bread, not written down.');
    await expect(page.getByRole('textbox', { name: 'Message to the assistant' })).toBeFocused();
    await expect(conversation(page)).not.toContainText('put milk on it');
    expect(sent(model)).toEqual(['make a list', 'A list it is.', 'say bread only']);
    // The file is still there, and the conversation says so.
    await expect(conversation(page)).toContainText('Another branch changed files, and switching does not undo that.');
    expect(await readFile(join(sextant.work, 'list.txt'), 'utf8')).toBe('milk\n');

    const first = userMessage(page, 'say bread only').getByRole('group', { name: /^Branch \d+ of/ });
    await expect(first).toContainText('2/2');
    await conversation(page).getByRole('button', { name: 'Ask again' }).last().click();
    await expect(conversation(page)).toContainText('Bread, in other words.');
    expect(sent(model)).toEqual(['make a list', 'A list it is.', 'say bread only']);
    await expect(switches(page)).toHaveCount(2);
    await expect(switches(page).last()).toContainText('2/2');
    const { violations } = await new AxeBuilder({ page }).include('[data-region=assistant]').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);

    // Back to the first branch with all its results; the next turn belongs only to it.
    await first.getByRole('button', { name: 'Previous branch' }).click();
    await expect(conversation(page)).toContainText('Milk is on it.');
    await expect(conversation(page)).toContainText('1 file changed');
    await expect(conversation(page)).not.toContainText('Bread');
    await sendMessage(page, 'and eggs');
    await expect(conversation(page)).toContainText('Eggs too.');
    expect(sent(model).at(-1)).toBe('and eggs');
    expect(JSON.stringify(sent(model))).not.toContain('bread');

    // A crash keeps the shown branch, and each other branch opens where it was last.
    const dir = sextant.dir;
    await sextant.kill();
    sextant = await Sextant.start({ dir, env: env(model) });
    await page.goto(sextant.window());
    await page
      .getByRole('main')
      .getByRole('button', { name: /make a list/ })
      .click();
    await expect(conversation(page)).toContainText('Eggs too.');
    const again = userMessage(page, 'put milk on it').getByRole('group', { name: /^Branch \d+ of/ });
    await expect(again).toContainText('1/2');
    await again.getByRole('button', { name: 'Next branch' }).focus();
    await page.keyboard.press('Enter');
    await expect(conversation(page)).toContainText('Bread, in other words.');
    await expect(first.getByRole('button', { name: 'Next branch' })).toBeFocused();
    await switches(page).last().getByRole('button', { name: 'Previous branch' }).click();
    await expect(conversation(page)).toContainText('Bread, not written down.');
    await sendMessage(page, 'done?');
    await expect(conversation(page)).toContainText('The last word.');
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

test('branches cannot be switched while a turn runs, and an unsent edit survives a reload', async ({ page }) => {
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
    await sendMessage(page, 'one');
    await expect(conversation(page)).toContainText('One.');
    await conversation(page).getByRole('button', { name: 'Ask again' }).click();
    await expect(conversation(page)).toContainText('Other.');
    await expect(switches(page)).toHaveCount(1);
    await userMessage(page, 'one').hover();
    await userMessage(page, 'one').getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('textbox', { name: 'Edit message' }).fill('one, edited');
    await sendMessage(page, 'two');
    await expect(conversation(page)).toContainText('Wait for it.');
    for (const name of ['Previous branch', 'Ask again'])
      await expect(conversation(page).getByRole('button', { name }).first()).toHaveAttribute('aria-disabled', 'true');
    const send = conversation(page).getByRole('button', { name: 'Send' });
    await send.hover();
    await expect(page.getByText('Wait for the answer to finish, or stop it.')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('textbox', { name: 'Edit message' })).toHaveValue('one, edited');
    open();
    await expect(send).not.toHaveAttribute('aria-disabled', 'true');
    await send.click();
    await expect(conversation(page)).toContainText('Edited at last.');
    await expect(conversation(page)).not.toContainText('Wait for it.');
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

/**
 * Scrolls from the start of the conversation until something is in view, and begins again at the end, because rows may
 * be drawn after they were passed. Rows that are not in view have no elements.
 */
async function scrollDownTo(page: Page, target: Locator): Promise<void> {
  await conversation(page).evaluate((scroller) => scroller.scrollTo({ top: 0, behavior: 'instant' }));
  await expect(async () => {
    await conversation(page).evaluate((scroller) => {
      const atEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
      scroller.scrollTo({ top: atEnd ? 0 : scroller.scrollTop + 200, behavior: 'instant' });
    });
    await expect(target).toBeInViewport({ timeout: 200 });
  }).toPass();
}

test('switching branches in a long conversation keeps the switch under the pointer', async ({ page }) => {
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
    await sendMessage(page, 'one');
    await expect(conversation(page)).toContainText('Alpha 59.');
    await sendMessage(page, 'two');
    await expect(conversation(page)).toContainText('Beta 59.');
    const again = conversation(page).getByRole('button', { name: 'Ask again' }).first();
    await scrollDownTo(page, again);
    await again.click();
    await expect(conversation(page)).toContainText('Gamma 29.');
    await sendMessage(page, 'three');
    await expect(conversation(page)).toContainText('Delta 59.');
    // Above and below the switch, each branch has another length.
    await scrollDownTo(page, switches(page));
    await switches(page).evaluate((node) => node.scrollIntoView({ block: 'center' }));
    // The list ignores the pointer while it scrolls, and then click() would scroll to another place.
    const press = (name: string) => switches(page).getByRole('button', { name }).dispatchEvent('click');
    const place = async () => Math.round((await switches(page).boundingBox())!.y);
    const before = await place();
    await press('Previous branch');
    await expect(conversation(page)).toContainText('Beta 59.');
    await expect.poll(place).toBe(before);
    await press('Next branch');
    await expect(conversation(page)).toContainText('Gamma 29.');
    await expect.poll(place).toBe(before);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
