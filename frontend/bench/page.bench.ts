import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from '../e2e/sextant';
import { percentile } from './percentile';

// The page's picture as a person sees it: the time from a press to the changed picture, and the pictures in a second of
// scrolling, at 1280 × 720 and several pixel ratios.
const SITE = `<!doctype html><title>Bench</title>
<style>html { background: #fff } body { margin: 0; height: 30000px;
  background: repeating-linear-gradient(#fff 0 40px, #fed 40px 80px) }
#lamp { position: fixed; inset: 0 50% 0 0; background: rgb(255, 0, 0) } p { margin-left: 55%; font: 16px sans-serif }</style>
<div id=lamp onmousedown="this.style.background = (this.on = !this.on) ? 'rgb(0, 0, 255)' : 'rgb(255, 0, 0)'"></div>
<script>for (let i = 0; i < 800; i++) document.body.insertAdjacentHTML('beforeend',
  '<p>Line ' + i + ' of a page that is long enough to scroll for a while</p>')</script>`;
const PRESSES = 60;
const SCROLL_MS = 4000;

/** Counts the pictures that are drawn on the canvas. */
const countPictures = (page: Page) =>
  page.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D;
    const draw = prototype.drawImage;
    Object.assign(window, { drawn: [] as number[] });
    prototype.drawImage = function (...args: unknown[]) {
      Reflect.apply(draw, this, args);
      if (this.canvas.isConnected) (window as unknown as { drawn: number[] }).drawn.push(performance.now());
    };
  });

/** Presses the mouse on the lamp and returns how long its picture took to change, in milliseconds. */
async function press(page: Page): Promise<number> {
  const changed = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const canvas = document.querySelector<HTMLCanvasElement>('.live-page canvas')!;
        const red = () =>
          canvas.getContext('2d')!.getImageData(canvas.width / 4, canvas.height / 2, 1, 1).data[0]! > 127;
        const before = red();
        canvas.addEventListener(
          'pointerdown',
          ({ timeStamp }) => {
            const look = () => {
              if (red() !== before) resolve(performance.now() - timeStamp);
              else requestAnimationFrame(look);
            };
            look();
          },
          { once: true },
        );
        document.body.dataset.ready = '';
      }),
  );
  await page.waitForFunction(() => delete document.body.dataset.ready);
  await page.mouse.down();
  await page.mouse.up();
  return changed;
}

/** Turns the wheel once in a frame, and returns when it began and ended. */
const scroll = (page: Page) =>
  page.evaluate(async (duration) => {
    const canvas = document.querySelector('.live-page canvas')!;
    const box = canvas.getBoundingClientRect();
    const at = { clientX: box.x + box.width * 0.8, clientY: box.y + box.height / 2, bubbles: true, cancelable: true };
    const start = performance.now();
    let now = start;
    for (; now - start < duration; now = await new Promise<number>(requestAnimationFrame)) {
      canvas.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY: 20 }));
    }
    return [start, now] as const;
  }, SCROLL_MS);

for (const ratio of [1, 2]) {
  test(`the page's picture at pixel ratio ${ratio}`, async ({ browser }) => {
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(SITE));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const sextant = await Sextant.start({ args: ['--allow-hosts', '127.0.0.1'] });
    // The canvas is 1280 × 720 beside the assistant.
    const page = await browser.newPage({ deviceScaleFactor: ratio, viewport: { width: 1976, height: 861 } });
    await page.goto(sextant.window());
    await sextant.mustExecute('navigate_page', { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/` });
    await page.getByRole('button', { name: 'Browser', exact: true }).click();
    const picture = page.locator('.live-page canvas');
    await expect(picture).toHaveAttribute('aria-label', /Bench/);
    await page.getByRole('button', { name: 'Numbers', exact: true }).click();
    const box = (await picture.boundingBox())!;
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
    await page.mouse.down(); // the person gets the page by this
    await page.mouse.up();
    await page.waitForTimeout(1000);

    const times: number[] = [];
    for (let i = 0; i < PRESSES; i++) {
      times.push(await press(page));
      await page.waitForTimeout(80);
    }
    await countPictures(page);
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2);
    const [start, now] = await scroll(page);
    const drawn = await page.evaluate(() => (window as unknown as { drawn: number[] }).drawn);
    const scrolling = drawn.filter((at) => at > start + 500 && at <= now);
    const gaps = scrolling.slice(1).map((at, i) => at - scrolling[i]!);
    process.stdout.write(
      `pixel ratio ${ratio}, ${Math.round(box.width)} × ${Math.round(box.height)}: ` +
        `press to picture p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms; ` +
        `scrolling ${((scrolling.length * 1000) / (now - start - 500)).toFixed(0)} pictures a second, ` +
        `p95 between two ${percentile(gaps, 0.95).toFixed(0)} ms\n`,
    );
    await page.close();
    await sextant.stop();
    site.close();
    site.closeAllConnections();
  });
}
