import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, openSettings, Sextant, conversation } from './sextant';

const env = (model: ModelServer) => ({
  ...model.env,
  // Asking the model how it writes calls would cost tokens as well.
  SEXTANT_DIALECTS: 'openai/test-model=native',
});

const meter = (page: Page) => page.getByRole('button', { name: /tokens/ });

async function set(page: Page, name: string, value: string): Promise<void> {
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill(value);
  await page.keyboard.press('Tab'); // the label of a price field contains its model
}

test('prices and a budget can be set, the meter shows their use, and Continue goes past the limit', async ({
  page,
}) => {
  // Each answer reads 100 tokens and writes 20.
  const model = await ModelServer.start([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const first = await Sextant.start({ env: env(model) });
  let sextant = first;
  try {
    await page.goto(sextant.window());
    await expect(meter(page)).toHaveText('no tokens used');
    await openSettings(page, /Costs and budgets/);
    await set(page, 'Tokens per conversation', 'many');
    await expect(page.getByText('write digits, 0 for no budget')).toBeVisible();
    await set(page, 'Tokens per conversation', '200');
    await page.getByRole('button', { name: 'Add price' }).click();
    await set(page, 'Model of the new model', 'openai/*');
    await set(page, 'Input of openai/*', '1.25');
    await page.getByRole('button', { name: 'Save prices' }).click();
    await expect(page.getByRole('alert')).toContainText('is not an amount');
    await set(page, 'Output of openai/*', '10');
    await page.getByRole('button', { name: 'Save prices' }).click();
    await expect(page.getByRole('button', { name: 'Save prices' })).toHaveCount(0);
    expect((await new AxeBuilder({ page }).include('.settings').analyze()).violations).toEqual([]);

    await sendMessage(page, 'first');
    await expect(conversation(page)).toContainText('One.');
    await expect(meter(page)).toHaveText(/120 tokens\s*0\.00033 USD\s*60%/);
    await sendMessage(page, 'second');
    await expect(conversation(page)).toContainText('Two.');
    await expect(meter(page)).toContainText('120%');
    await sendMessage(page, 'third');
    await expect(conversation(page)).toContainText('this conversation spent 240 tokens of its budget of 200');
    expect(model.requests).toHaveLength(2);

    await meter(page).click();
    const spent = page.getByLabel('Cost of this conversation');
    await expect(spent.getByRole('row', { name: /^Input/ })).toHaveText(/Input\s*0\s*200/);
    await expect(spent).toContainText('240 of 200');
    expect((await new AxeBuilder({ page }).include('.popover').analyze()).violations).toEqual([]);
    await page.keyboard.press('Escape');

    await first.kill();
    sextant = await Sextant.start({ env: env(model), dir: first.dir });
    await page.goto(sextant.window());
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('button', { name: /first/ }).first().click();
    await expect(meter(page)).toContainText('120%');
    await conversation(page).getByRole('button', { name: 'Continue' }).click();
    await expect(conversation(page)).toContainText('Three.');
    await expect(meter(page)).toHaveText(/360 tokens.*60%/s);

    await page
      .getByRole('navigation', { name: 'Panels' })
      .getByRole('button', { name: /Tools and activity/ })
      .click();
    await page.getByRole('button', { name: 'Metrics' }).click();
    const row = page.getByRole('row', { name: /openai\/test-model/ });
    await expect(row).toContainText('0.00098 USD');
    await expect(row.getByRole('cell').nth(2)).toHaveText('3');
    expect((await new AxeBuilder({ page }).include('main').analyze()).violations).toEqual([]);
  } finally {
    await sextant.stop();
    await first.stop();
    await model.stop();
  }
});
