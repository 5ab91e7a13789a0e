import AxeBuilder from '@axe-core/playwright';
import { spawnSync } from 'node:child_process';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant } from './sextant';

/** Writes to a file until its disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  for (let size = 1 << 20; size >= 1;) {
    try {
      await file.write(Buffer.alloc(size));
    } catch {
      size = size >> 1;
    }
  }
  await file.close();
}

test('a full disk shows what is free and what to do, loses nothing, and recovers once there is space', async ({
  page,
}) => {
  test.skip(spawnSync('unshare', ['-Urm', 'true']).status !== 0, 'this system cannot mount a small disk');
  const model = await ModelServer.start([{ text: 'Hello.' }, { text: 'There is room again.' }]);
  const env = model.env;
  const sextant = await Sextant.start({ env, disk: 60 });
  const fat = sextant.inside(join(sextant.data, 'fat'));
  try {
    await page.goto(sextant.window());
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await expect(page.getByText('The disk is almost full.')).toBeVisible();
    await sendMessage(page, 'hello');
    await expect(conversation.getByText('Hello.', { exact: true })).toBeVisible();
    await expect.poll(() => sextant.turnsOver()).toBe(1);

    await fill(fat);
    const box = page.getByRole('textbox', { name: 'Message to the assistant' });
    await sendMessage(page, 'is there room');
    const banner = page.getByRole('alert').filter({ hasText: 'The disk is full. Nothing new can be saved.' });
    await expect(banner).toContainText(`free on the disk of ${sextant.data}`);
    await expect(banner).toContainText('Free some space; Sextant continues automatically.');
    await expect(box).toHaveValue('is there room');
    await expect(page.getByText('This was not stored. The disk is full.').first()).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).include('main').analyze();
    expect(violations).toEqual([]);

    await page.reload(); // a new window shows the banner too, and keeps the unsent text
    await expect(banner).toBeVisible();
    await expect(box).toHaveValue('is there room');
    await expect(conversation.getByText('Hello.', { exact: true })).toBeVisible();

    await rm(fat);
    await expect(page.getByText('The disk is almost full.')).toBeVisible({ timeout: 20_000 });
    await expect(banner).toBeHidden();
    await box.press('Enter');
    await expect(conversation.getByText('There is room again.')).toBeVisible();
    await expect(box).toHaveValue('');
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

test('a data folder that is moved away is noticed, nothing is lost, and it goes on when the folder is back', async ({
  page,
}) => {
  const model = await ModelServer.start([{ text: 'Hello.' }, { text: 'It is back.' }]);
  const sextant = await Sextant.start({ env: model.env });
  try {
    await page.goto(sextant.window());
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await sendMessage(page, 'hello');
    await expect(conversation.getByText('Hello.', { exact: true })).toBeVisible();
    await expect.poll(() => sextant.turnsOver()).toBe(1);

    await rename(sextant.data, `${sextant.data}-away`);
    const banner = page.getByRole('alert').filter({ hasText: 'is no longer the folder that Sextant opened' });
    await expect(banner).toContainText(sextant.data);
    const box = page.getByRole('textbox', { name: 'Message to the assistant' });
    await sendMessage(page, 'is it back');
    await expect(
      page.getByText('This was not stored. The data folder was deleted, moved or replaced.').first(),
    ).toBeVisible();
    await expect(box).toHaveValue('is it back');
    await expect(conversation.getByText('Hello.', { exact: true })).toBeVisible();

    await rm(sextant.data, { recursive: true, force: true }); // what was written meanwhile
    await rename(`${sextant.data}-away`, sextant.data);
    await expect(banner).toBeHidden();
    await box.press('Enter');
    await expect(conversation.getByText('It is back.')).toBeVisible();
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
