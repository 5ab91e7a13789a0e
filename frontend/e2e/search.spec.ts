import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { conversation, sendMessage, Sextant } from './sextant';

test('words are found in the history, the palette and the open conversation', async ({ page }) => {
  const model = await ModelServer.start([
    { text: 'The brass lamp costs 79 €.' },
    { text: 'Trains leave at noon.' },
    { text: 'Brass needs polish.' },
  ]);
  const sextant = await Sextant.start({ env: model.env });
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'what does the lamp cost');
    await expect(conversation(page)).toContainText('79 €');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await sendMessage(page, 'when do trains leave');
    await expect(conversation(page)).toContainText('at noon');
    await sendMessage(page, 'and my brass bell');
    await expect(conversation(page)).toContainText('polish');

    // Enter opens the first hit: no title has this word, one message does.
    await page.keyboard.press('Control+h');
    const field = page.getByRole('textbox', { name: 'Search titles and messages' });
    await field.fill('79');
    await expect(page.getByRole('button', { name: /Assistant: The brass lamp costs/ })).toBeVisible();
    await expect(page.locator('mark')).toHaveText('79');
    const found = await new AxeBuilder({ page }).include('.history').analyze();
    expect(found.violations).toEqual([]);
    await field.press('Enter');
    await expect(conversation(page)).toContainText('what does the lamp cost');

    // A mistake in a filter is explained.
    await page.keyboard.press('Control+h');
    await field.fill('lamp before:soon');
    await expect(page.getByText('before: is followed by a date')).toBeVisible();
    await page.keyboard.press('Escape');

    // The palette lists messages below its own entries.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('?noon');
    await expect(page.getByRole('option', { name: /Trains leave at noon/ })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(conversation(page)).toContainText('when do trains leave');

    // Find steps from the newest message to older ones, and Escape closes it.
    await page.getByRole('textbox', { name: 'Message to the assistant' }).focus();
    await page.keyboard.press('Control+f');
    const find = page.getByRole('search', { name: 'Find in conversation' });
    await find.getByRole('textbox').fill('bras');
    await expect(find.getByRole('status')).toHaveText('2 found');
    await page.keyboard.press('Enter');
    await expect(find.getByRole('status')).toHaveText('2 of 2');
    await expect(find).toContainText('Brass needs polish.');
    await page.keyboard.press('Enter');
    await expect(find.getByRole('status')).toHaveText('1 of 2');
    expect((await new AxeBuilder({ page }).include('.find').analyze()).violations).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(find).toHaveCount(0);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
