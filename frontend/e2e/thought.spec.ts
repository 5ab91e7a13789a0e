import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { say, Sextant } from './sextant';

test('what a model thinks stands apart from what it says, while it thinks and after a reload', async ({ page }) => {
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
    await say(page, 'Which shop?');
    const row = page.getByRole('region', { name: 'Reasoning' });
    const face = row.getByRole('button');
    await expect(face).toContainText('Thinking');
    await expect(face).toContainText('The first is closed on Sundays.');
    await face.click();
    await expect(row.getByRole('region', { name: 'Reasoning of the model' })).toHaveText(thought);
    go();
    await expect(face).toContainText('Thought for ');

    await expect(page.locator('article').getByText('The second.', { exact: true })).toBeVisible();
    await page.reload();
    await expect(face).toContainText('Thought for ');
    await expect(row.getByRole('region', { name: 'Reasoning of the model' })).toBeHidden();
    await face.click();
    await expect(row.getByRole('region', { name: 'Reasoning of the model' })).toHaveText(thought);
    const { violations } = await new AxeBuilder({ page }).include('.thought').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);
  } finally {
    go();
    await sextant.stop();
    await model.stop();
  }
});
