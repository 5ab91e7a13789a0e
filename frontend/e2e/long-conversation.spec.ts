import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { bin, conversation, sendMessage, Sextant } from './sextant';

let dir: string;
let sextant: Sextant;

// The tests share a data folder, which one program owns at a time.
test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sextant-e2e-'));
  const size = ['-messages', '1000', '-conversations', '1', '-largest', '1000'];
  execFileSync(join(dirname(bin), 'datagen'), [...size, join(dir, 'data')]);
});
test.beforeEach(async () => {
  sextant = await Sextant.start({ dir });
});
test.afterEach(() => sextant.stop());
test.afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

const rows = (page: Page) => page.locator('.conversation-row');
const position = (page: Page) =>
  conversation(page).evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
    top: scrollTop,
    fromEnd: scrollHeight - scrollTop - clientHeight,
  }));
const atEnd = (page: Page) => expect.poll(async () => (await position(page)).fromEnd).toBeLessThan(2);

async function openLongest(page: Page): Promise<void> {
  await page.goto(sextant.window());
  await page.getByRole('textbox', { name: 'Message to the assistant' }).waitFor();
  await page.keyboard.press('Control+h');
  await page.locator('.history .list-row').first().click();
  await rows(page).first().waitFor();
}

test('a long conversation opens at its end and loads earlier messages', async ({ page }) => {
  const parts: string[] = [];
  page.on('request', (request) => {
    const part = /\/api\/conversations\/[^/?]+(\?.*)$/.exec(request.url())?.[1];
    if (part) parts.push(part);
  });
  await openLongest(page);
  await atEnd(page);
  expect(parts).toEqual(['?limit=60']);
  expect(await rows(page).count()).toBeLessThan(60);

  await conversation(page).hover();
  await expect(async () => {
    await page.mouse.wheel(0, -2000);
    expect(parts.length).toBeGreaterThan(3);
  }).toPass();
  expect(await rows(page).count()).toBeLessThan(60);
  // Loading more does not move what is in view.
  const { fromEnd } = await position(page);
  expect(fromEnd).toBeGreaterThan(2000);

  // What the person sends is followed.
  await sendMessage(page, 'fly to the moon');
  await expect(page.locator('.user-message').last()).toHaveText(/fly to the moon/);
  await atEnd(page);
});

test('a search result is shown in its place, and the newest message is one press away', async ({ page }) => {
  await openLongest(page);
  await atEnd(page);
  await conversation(page).click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('lamp');
  const find = page.getByRole('textbox', { name: /find/i });
  await find.press('Enter');
  await expect(page.getByText(/\d+ of \d+/)).toBeVisible();
  await find.press('Shift+Enter');
  await page.getByRole('button', { name: /next/i }).click(); // from the newest hit around to the oldest
  await expect(page.locator('.conversation-row.marked')).toBeInViewport();

  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await atEnd(page);
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeHidden();
});

test('a selection outlives scrolling', async ({ page }) => {
  await openLongest(page);
  await atEnd(page);
  const text = await page.evaluate(() => {
    const answers = document.querySelectorAll('.conversation-row .assistant-message');
    document.getSelection()!.selectAllChildren(answers[answers.length - 1]!);
    return document.getSelection()!.toString();
  });
  expect(text).not.toBe('');
  await conversation(page).hover();
  await expect(async () => {
    await page.mouse.wheel(0, -3000);
    expect((await position(page)).fromEnd).toBeGreaterThan(6000);
  }).toPass();
  expect(await page.evaluate(() => document.getSelection()!.toString())).toBe(text);
});
