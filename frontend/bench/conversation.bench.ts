import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from '../e2e/sextant';
import { percentile } from './percentile';

/** The numbers of messages in the measured conversation. */
const SIZES = (process.env.SIZES ?? '200,2000,10000,100000').split(',').map(Number);
const ROOT = join(import.meta.dirname, '../..');

/** Waits for the end of a conversation and returns when it was painted, in milliseconds since the page's start. */
const painted = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const check = () => {
          if (!document.querySelector('.conversation-row .assistant-message')) return requestAnimationFrame(check);
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        };
        check();
      }),
  );

/** Opens the newest conversation from the history and returns how long that took in milliseconds. */
async function openFromHistory(page: Page): Promise<number> {
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page.locator('.conversation-row')).toHaveCount(0);
  await page.keyboard.press('Control+h');
  const row = page.locator('.history .list-row').first();
  await row.waitFor();
  const start = await row.evaluate((button: HTMLElement) => {
    const now = performance.now();
    button.click();
    return now;
  });
  return (await painted(page)) - start;
}

/** Scrolls towards the start by 120 px a frame and returns the durations of the frames in milliseconds. */
const scrollUp = (page: Page, frames: number) =>
  page.evaluate(async (n) => {
    const scroller = document.querySelector('.conversation')!;
    const durations: number[] = [];
    let last = await new Promise<number>(requestAnimationFrame);
    for (let i = 0; i < n; i++) {
      scroller.scrollBy({ top: -120, behavior: 'instant' });
      const now = await new Promise<number>(requestAnimationFrame);
      durations.push(now - last);
      last = now;
    }
    return durations;
  }, frames);

/** Types into the message box, as fast as a person, and returns the time from each key to the next painted frame in milliseconds. */
async function typeText(page: Page, text: string): Promise<number[]> {
  const box = page.getByRole('textbox', { name: 'Message to the assistant' });
  await box.click();
  await box.evaluate((area) => {
    const delays: number[] = [];
    Object.assign(window, { delays });
    area.addEventListener('keydown', (event) => {
      requestAnimationFrame(() => setTimeout(() => delays.push(performance.now() - event.timeStamp)));
    });
  });
  for (const key of text) {
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    await page.waitForTimeout(60);
  }
  await box.fill('');
  return page.evaluate(() => (window as unknown as { delays: number[] }).delays);
}

async function heapMegabytes(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize / 1024 / 1024;
}

test('conversations of growing length', async ({ browser }) => {
  const datagen = join(await mkdtemp(join(tmpdir(), 'sextant-bench-')), 'datagen');
  execFileSync('go', ['build', '-tags', 'sqlite_fts5', '-o', datagen, './build/datagen'], { cwd: ROOT });
  const rows: string[] = [];
  for (const size of SIZES) {
    const dir = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
    execFileSync(datagen, ['-messages', `${size}`, '-conversations', '1', '-largest', `${size}`, join(dir, 'data')]);
    const first = await Sextant.start({ dir });
    const page = await browser.newPage();
    await page.goto(first.window());
    await page.locator('.composer').waitFor();
    const opened: number[] = [];
    for (let i = 0; i < 5; i++) opened.push(await openFromHistory(page));
    const frames = await scrollUp(page, 600);
    const keys = await typeText(page, 'what did we say about the lamps');
    const heap = await heapMegabytes(page);
    await page.reload();
    const cold = await painted(page);
    rows.push(
      [size, percentile(opened, 0.5), cold, percentile(frames, 0.95), Math.max(...frames), percentile(keys, 0.95), heap]
        .map((n) => (Number.isInteger(n) ? String(n) : n.toFixed(1)).padStart(10))
        .join(''),
    );
    await page.close();
    await first.stop();
    await rm(dir, { recursive: true });
  }
  const head = ['messages', 'open ms', 'start ms', 'frame p95', 'frame max', 'key p95', 'heap MB'];
  process.stdout.write([head.map((name) => name.padStart(10)).join(''), ...rows].join('\n') + '\n');
});
