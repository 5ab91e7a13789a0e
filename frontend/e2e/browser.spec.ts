import AxeBuilder from '@axe-core/playwright';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { gate, Sextant, type Element } from './sextant';

// Wide enough for the list of annotations beside the page.
test.use({ viewport: { width: 1440, height: 900 } });

let sextant: Sextant;

test.beforeEach(async () => {
  sextant = await Sextant.start();
});

test.afterEach(async () => {
  await sextant.stop();
});

/**
 * Sends a command to the assistant and waits until its turn is over. It asks the program, because the window shows
 * Send until it learns that the turn began.
 */
async function sendMessage(page: Page, command: string): Promise<void> {
  const before = await sextant.turnsOver();
  await page.getByRole('textbox', { name: 'Message to the assistant' }).fill(command);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').filter({ hasText: command }).first()).toBeVisible();
  await expect.poll(() => sextant.turnsOver(), { timeout: 20_000 }).toBe(before + 1);
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
}

/** Returns the number in front of the first matching name in the list beside the page. */
async function number(page: Page, name: RegExp): Promise<number> {
  const row = page.getByRole('complementary', { name: 'Numbers' }).getByRole('option', { name });
  await expect(row.first()).toBeVisible();
  const text = await row.first().innerText();
  return Number(text.match(/\d+/)![0]);
}

/** Returns the text of the controlled page, as JSON. */
async function content(): Promise<string> {
  const { result } = await sextant.execute('get_page_content', { format: 'text' });
  return JSON.stringify(result);
}

/** Counts the pixels of the live picture that are near a color. */
function pixels(page: Page, [r, g, b]: [number, number, number]): Promise<number> {
  return page.locator('canvas').evaluate(
    (canvas: HTMLCanvasElement, near) => {
      const data = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data;
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (near.every((c, k) => Math.abs(data[i + k]! - c) < 24)) n++;
      return n;
    },
    [r, g, b],
  );
}

const red: [number, number, number] = [0xc8, 0x55, 0x3d]; // the shade of the lamp Fen

test('text commands open the shop, annotate it, click and type, and the live view shows it', async ({ page }) => {
  await page.goto(sextant.window());
  await sendMessage(page, 'open demo');
  await expect(page.getByRole('main', { name: 'Browser' })).toBeVisible();
  await expect.poll(() => pixels(page, red), { timeout: 15_000 }).toBeGreaterThan(300);

  await sendMessage(page, 'annotate');
  const postcode = await number(page, /Delivery postcode/);
  await sendMessage(page, `type 10437 into ${postcode}`);
  expect(await content()).toContain('10437');

  await sendMessage(page, `click ${await number(page, /Bulbs/)}`);
  const { result } = await sextant.execute('annotate_page');
  expect(result?.page?.url).toContain('/bulbs');
  await expect.poll(() => pixels(page, red)).toBe(0);
});

test('a person can operate the live view with annotations, pointer, keys, wheel and address bar', async ({ page }) => {
  await page.goto(sextant.window());
  await page
    .getByRole('navigation', { name: 'Panels' })
    .getByRole('button', { name: /Browser/ })
    .click();
  const address = page.getByRole('combobox', { name: 'Address' });
  await address.click();
  await address.fill('demo');
  await address.press('Enter');
  await expect.poll(() => pixels(page, red), { timeout: 15_000 }).toBeGreaterThan(300);

  const field = await number(page, /Delivery postcode/);
  await page.locator('.annotation-layer .annotation', { hasText: new RegExp(`^${field}$`) }).click();
  const box = (await sextant.execute('annotate_page')).result!.elements!.find((e) => e.id === field) as unknown as {
    box: { x: number; y: number; width: number; height: number };
  };
  await page.locator('canvas').click({
    position: { x: box.box.x + box.box.width / 2, y: box.box.y + box.box.height / 2 },
  });
  await page.keyboard.type('20095');
  await expect.poll(content).toContain('20095');

  const before = await pixels(page, red);
  await page.locator('canvas').hover();
  await page.mouse.wheel(0, 900);
  await expect.poll(() => pixels(page, red)).not.toBe(before);

  // The click took control if it met one of our calls.
  if (await sextant.personHas()) await page.getByRole('button', { name: 'Give back' }).click();
  await expect(page.getByRole('button', { name: 'Take over' })).toBeVisible();
  expect((await sextant.execute('navigate_page', { url: 'http://demo.sextant.test/bulbs' })).success).toBe(true);
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect.poll(async () => (await sextant.execute('annotate_page')).result?.page?.url).toContain('/lamps');
});

test('a conversation can be opened again after a restart', async ({ page }) => {
  await page.goto(sextant.window());
  await sendMessage(page, 'open demo');
  await sextant.kill();
  const again = await Sextant.start({ dir: sextant.dir });
  try {
    await page.goto(again.window());
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page
      .getByRole('button', { name: /open demo/ })
      .first()
      .click();
    await expect(page.getByText('Opened demo.sextant.test').first()).toBeVisible();
  } finally {
    await again.stop();
  }
});

test('an approval waits above the composer and is answered once', async ({ page }) => {
  const model = await ModelServer.start([
    {
      text: 'I start the list.',
      calls: [{ name: 'reading_list_add', args: { title: 'Moby Dick', url: 'https://book.example/moby' } }],
    },
    { text: 'It is on the list.' },
  ]);
  try {
    await sextant.stop();
    sextant = await Sextant.start({
      env: model.env,
    });
    const folder = join(sextant.data, 'panels');
    await mkdir(folder, { recursive: true });
    await cp(join(import.meta.dirname, '../../docs/examples/reading-list'), join(folder, 'reading-list'), {
      recursive: true,
    });
    await page.goto(sextant.window());
    await page
      .getByRole('navigation', { name: 'Panels' })
      .getByRole('button', { name: /Reading list/ })
      .click();
    await page.getByRole('textbox', { name: 'Message to the assistant' }).fill('put Moby Dick on my list');
    await page.keyboard.press('Enter');
    const ask = page.getByRole('alertdialog').filter({ hasText: 'server.mjs' }).first();
    await expect(ask).toBeVisible({ timeout: 15_000 });
    await expect(page.getByRole('textbox', { name: 'Message to the assistant' })).toBeFocused();
    await ask.getByRole('button', { name: /Allow once/ }).click();
    await expect(page.getByText('It is on the list.').first()).toBeVisible({ timeout: 20_000 });
    await expect(ask).toBeHidden();
  } finally {
    await model.stop();
  }
});

test('clicking the page takes control from the assistant, and one click gives it back', async ({ page }) => {
  const fits = gate();
  const model = await ModelServer.start([
    { calls: [{ name: 'navigate_page', args: { url: 'demo' } }] },
    { text: 'I point at the bulbs.', until: fits.until, calls: [{ name: 'hover_element', args: { annotationId: 4 } }] },
    { text: 'I am still thinking about it', hold: 2 },
  ]);
  try {
    await sextant.stop();
    sextant = await Sextant.start({
      env: model.env,
    });
    await page.goto(sextant.window());
    await page.getByRole('textbox', { name: 'Message to the assistant' }).fill('look at the demo');
    await page.keyboard.press('Enter');
    await expect.poll(() => pixels(page, red), { timeout: 20_000 }).toBeGreaterThan(300);
    await expect(page.getByText('The assistant is using the page').first()).toBeVisible();

    // The pointer of the assistant moves to what it acts on, once the page has the size of the panel.
    const canvas = (await page.locator('canvas').boundingBox())!;
    const seen = async () =>
      (await sextant.api<{ marks: { width: number; elements: Element[] } }>('GET', '/api/state')).marks;
    await expect.poll(async () => Math.abs((await seen()).width - canvas.width)).toBeLessThan(2);
    const { box } = (await seen()).elements.find((element) => element.name === 'Bulbs')!;
    const at = { x: canvas.x + box.x + box.width / 2, y: canvas.y + box.y + box.height / 2 };
    fits.open();
    await expect
      .poll(async () => {
        const pointer = (await page.locator('.assistant-pointer').boundingBox())!;
        return Math.hypot(pointer.x + 3 - at.x, pointer.y + 2 - at.y);
      })
      .toBeLessThan(4);

    await page.locator('canvas').click({ position: { x: 300, y: 120 } });
    await page.getByRole('button', { name: 'Give back' }).click();
    await expect(page.getByRole('button', { name: 'Take over' })).toBeVisible();

    await page.getByRole('button', { name: 'Take over' }).click();
    await expect(page.getByRole('button', { name: 'Give back' })).toBeVisible();
    const refused = await sextant.execute('press_key', { key: 'Tab' });
    expect(refused.error_type).toBe('permission_error');
    await page.getByRole('textbox', { name: 'Message to the assistant' }).focus();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
  } finally {
    await model.stop();
  }
});

for (const theme of ['dark', 'light'] as const)
  test(`Home, Browser and Tools have no accessibility violations, ${theme}`, async ({ page }) => {
    // Axe must not measure contrast in the middle of a fade.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.goto(sextant.window());
    await sendMessage(page, 'open demo');
    for (const name of [/Home/, /Browser/, /Tools/]) {
      await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name }).click();
      await expect(page.getByRole('main', { name })).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
    }
  });
