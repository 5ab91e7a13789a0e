import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant } from './sextant';

test('reasoning is shown apart from the answer, while it streams and after a reload', async ({ page }) => {
  let go = () => {};
  const until = new Promise<void>((resolve) => (go = resolve));
  const thought = 'Two shops sell it. The first is closed on Sundays. So it is the second';
  const model = await ModelServer.start([
    { thought, calls: [{ name: 'get_active_panel', args: {} }], until },
    { text: 'The second.' },
  ]);
  const sextant = await Sextant.start({
    env: model.env,
  });
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'Which shop?');
    const row = page.getByRole('region', { name: 'Reasoning' });
    const toggle = row.getByRole('button');
    await expect(toggle).toContainText('Thinking');
    await expect(toggle).toContainText('The first is closed on Sundays.');
    await toggle.click();
    await expect(row.getByRole('region', { name: 'Reasoning of the model' })).toHaveText(thought);
    go();
    await expect(toggle).toContainText('Thought for ');

    await expect(page.locator('article').getByText('The second.', { exact: true })).toBeVisible();
    await page.reload();
    await expect(toggle).toContainText('Thought for ');
    await expect(row.getByRole('region', { name: 'Reasoning of the model' })).toBeHidden();
    await toggle.click();
    await expect(row.getByRole('region', { name: 'Reasoning of the model' })).toHaveText(thought);
    const { violations } = await new AxeBuilder({ page }).include('.reasoning').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);
  } finally {
    go();
    await sextant.stop();
    await model.stop();
  }
});
