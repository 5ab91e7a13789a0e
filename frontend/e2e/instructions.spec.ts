import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { openSettings, sendMessage, Sextant } from './sextant';

let sextant: Sextant;
let model: ModelServer;
test.beforeEach(async () => {
  model = await ModelServer.start([
    { text: 'Hola.', calls: [{ name: 'enhance_baseline_prompt', args: { note: 'Show two decimals.' } }] },
    { text: 'Apuntado.' },
    { text: 'Sí.' },
    { text: 'Otra vez.' },
  ]);
  sextant = await Sextant.start({ env: model.env });
});
test.afterEach(async () => {
  await sextant.stop();
  await model.stop();
});

const systemPrompt = (request: number) => JSON.stringify(model.requests.at(request)?.messages[0]);

async function write(page: Page, label: string, text: string) {
  const field = page.getByRole('textbox', { name: label });
  await field.fill(text);
  await field.press('Control+Enter');
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeHidden();
}

test('instructions and prompt notes are seen, edited and removed, and the model gets what is left', async ({
  page,
}) => {
  const answers = page.getByRole('region', { name: 'Conversation' });
  await page.goto(sextant.window());
  await openSettings(page, /Instructions/);
  await expect(page.getByText('No prompt notes yet.')).toBeVisible();
  await write(page, 'Everywhere', 'Answer in Spanish.');
  await write(page, 'In this folder', 'Prices are in cents.');
  await sendMessage(page, 'remember two decimals');
  await expect(answers.getByText('Apuntado.')).toBeVisible({ timeout: 20_000 });
  expect(systemPrompt(0)).toContain('Answer in Spanish.');
  expect(systemPrompt(0)).toMatch(/In the folder .*Prices are in cents\./);

  const note = page.getByRole('listitem').filter({ hasText: 'Show two decimals.' });
  await note.getByRole('button', { name: /Edit/ }).click();
  await write(page, 'Show two decimals.', 'Show three decimals.');
  await write(page, 'In this folder', '');
  await sendMessage(page, 'really?');
  await expect(answers.getByText('Sí.')).toBeVisible({ timeout: 20_000 });
  expect(systemPrompt(-1)).toContain('Show three decimals.');
  expect(systemPrompt(-1)).not.toContain('cents');

  await page.getByRole('button', { name: 'Remove: Show three decimals.' }).click();
  await expect(page.getByText('No prompt notes yet.')).toBeVisible();
  await page.reload();
  await openSettings(page, /Instructions/);
  await expect(page.getByRole('textbox', { name: 'Everywhere' })).toHaveValue('Answer in Spanish.');
  await sendMessage(page, 'again');
  await expect(answers.getByText('Otra vez.')).toBeVisible({ timeout: 20_000 });
  expect(systemPrompt(-1)).toContain('Answer in Spanish.');
  expect(systemPrompt(-1)).not.toContain('decimals');
});

test('a text that is too long stays in its field and is not saved', async ({ page }) => {
  await page.goto(sextant.window());
  await openSettings(page, /Instructions/);
  const field = page.getByRole('textbox', { name: 'Everywhere' });
  await field.fill('x'.repeat(8_004));
  await expect(page.getByText('8004 of 8000 characters')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(field).toHaveValue('');
});

for (const theme of ['dark', 'light'] as const) {
  test(`the instructions have no accessibility violations in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(sextant.window());
    await openSettings(page, /Instructions/);
    await page.getByRole('textbox', { name: 'Everywhere' }).fill('Answer in Spanish.');
    await page.screenshot({ path: test.info().outputPath(`instructions-${theme}.png`) });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  });
}
