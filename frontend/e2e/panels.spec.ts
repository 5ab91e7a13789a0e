import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

const examples = join(import.meta.dirname, '../../docs/examples');
const sample = 'reading-list';

test('a panel folder that is copied in is in the running window without a restart, with its tools', async ({
  page,
}) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await expect(page.getByRole('navigation', { name: 'Panels' })).toBeVisible();
    const folder = join(sextant.data, 'panels');
    await mkdir(folder, { recursive: true });
    await cp(join(examples, sample), join(folder, sample), { recursive: true });
    const button = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: /Reading list/ });
    await expect(button).toBeVisible();
    await button.click();
    const origins = async () =>
      (await sextant.api<{ tool_origins: Record<string, string> }>('GET', '/api/ai/tools/discover')).tool_origins;
    await expect
      .poll(async () => Object.values(await origins()).filter((o) => o === 'panel').length)
      .toBeGreaterThan(0);
    await rm(join(folder, sample), { recursive: true });
    await expect(button).toBeHidden();
  } finally {
    await sextant.stop();
  }
});
