import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { conversation, sendMessage, Sextant } from './sextant';

const box = (page: Page) => page.getByRole('textbox', { name: 'Message to the assistant' });
const attached = (page: Page) => page.getByRole('list', { name: 'Attached to the message' }).getByRole('listitem');

/** A PDF with one page that says `text`. */
function pdf(text: string): Buffer {
  const stream = `BT /F1 18 Tf 20 150 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ];
  let out = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = out.length;
    out += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = out.length;
  out += `xref\n0 6\n0000000000 65535 f \n${offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')}`;
  return Buffer.from(`${out}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

/** A red square of 2 × 2 pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
);

/** Drops files on an element, or pastes them into it. */
async function transfer(page: Page, target: string, event: 'drop' | 'paste', files: Record<string, Buffer>) {
  const list = Object.entries(files).map(([name, data]) => ({ name, data: data.toString('base64') }));
  await page.evaluate(
    ({ target, event, list }) => {
      const data = new DataTransfer();
      for (const { name, data: text } of list) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name));
      }
      const element = document.querySelector(target)!;
      const init = { bubbles: true, cancelable: true };
      if (event === 'paste') {
        element.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
        return;
      }
      for (const kind of ['dragenter', 'dragover', 'drop']) {
        element.dispatchEvent(new DragEvent(kind, { ...init, dataTransfer: data }));
      }
    },
    { target, event, list },
  );
}

const textOf = (request: unknown) => JSON.stringify(request);

test('files are dropped, pasted, picked and named with @, and the model gets them again after a restart', async ({
  page,
}) => {
  test.setTimeout(300_000);
  const dir = await mkdtemp(join(tmpdir(), 'sextant-attach-'));
  const model = await ModelServer.start([{ text: 'Seen all.' }, { text: 'Still there.' }, { text: 'And now too.' }]);
  let sextant = await Sextant.start({ dir, env: model.env });
  try {
    await writeFile(join(sextant.work, 'budget.csv'), 'lamp;19.50\n');
    await page.goto(sextant.window());
    await expect(box(page)).toBeVisible();
    const address = page.url();

    // A drop on the stage, which no page of a panel gets, attaches and does not navigate.
    await transfer(page, 'main', 'drop', { 'notes.txt': Buffer.from('The code word is saffron.') });
    await expect(attached(page)).toContainText(['notes.txt']);
    expect(page.url()).toBe(address);
    await transfer(page, '.composer textarea', 'paste', { 'red.png': PNG });
    await expect(attached(page)).toHaveCount(2);
    await expect(attached(page).nth(1).locator('img')).toBeVisible();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach files' }).click();
    await (await chooser).setFiles({ name: 'report.pdf', mimeType: 'application/pdf', buffer: pdf('Total 41873') });
    await expect(attached(page).nth(2)).toContainText('1 page', { timeout: 120_000 });
    await box(page).pressSequentially('Compare these with @budg');
    await page.getByRole('option', { name: /budget\.csv/ }).click();
    await expect(attached(page)).toHaveCount(4);
    await expect(box(page)).toHaveValue('Compare these with ');

    // What cannot be read is refused with the reason, and can be dismissed.
    await transfer(page, '.composer', 'drop', { 'run.exe': Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0]) });
    await expect(page.getByRole('alert')).toContainText('run.exe is neither text nor a picture');
    await page.getByRole('button', { name: 'Dismiss run.exe' }).click();
    await expect(page.getByRole('region', { name: 'Assistant' })).toContainText('Attachments: about');
    const found = await new AxeBuilder({ page }).include('[data-region=assistant]').analyze();
    expect(found.violations).toEqual([]);

    await box(page).fill('Compare these');
    await page.keyboard.press('Enter');
    await expect(conversation(page)).toContainText('Seen all.');
    await expect(attached(page)).toHaveCount(0);
    for (const name of ['notes.txt', 'red.png', 'report.pdf', 'budget.csv']) {
      await expect(conversation(page).getByRole('button', { name: `Open ${name}` })).toBeVisible();
    }
    await conversation(page).getByRole('button', { name: 'Open report.pdf' }).click();
    await expect(page.getByRole('dialog', { name: 'report.pdf' })).toContainText('Total 41873');
    await page.keyboard.press('Escape');

    await sendMessage(page, 'And again?');
    await expect(conversation(page)).toContainText('Still there.');
    await sextant.stop();
    sextant = await Sextant.start({ dir, env: model.env });
    await page.goto(sextant.window());
    await expect(conversation(page).getByRole('button', { name: 'Open red.png' })).toBeVisible();
    await sendMessage(page, 'After the restart?');
    await expect(conversation(page)).toContainText('And now too.');
    expect(model.requests).toHaveLength(3);
    for (const request of model.requests) {
      const text = textOf(request);
      expect(text).toContain('data:image/png;base64,');
      for (const words of ['saffron', 'Total 41873', 'lamp;19.50', 'source=attachment:notes.txt']) {
        expect(text).toContain(words);
      }
    }
  } finally {
    await sextant.stop();
    await model.stop();
    await rm(dir, { recursive: true, force: true });
  }
});

test('a number, a region and the text of a page are attached from the menu of the page', async ({ page }) => {
  test.setTimeout(240_000);
  const model = await ModelServer.start([{ text: 'It is a button.' }]);
  const sextant = await Sextant.start({ env: model.env });
  try {
    await page.goto(sextant.window());
    await sextant.mustExecute('navigate_page', { url: 'demo' });
    const seen = await sextant.mustExecute('annotate_page');
    const button = seen.result!.elements!.find((element) => element.role === 'button' && element.name)!;
    await sextant.mustExecute('open_browser_panel');
    const label = page.locator('.annotation-layer > .annotation', { hasText: new RegExp(`^${button.id}$`) });
    await label.click({ button: 'right' });
    const menu = page.getByRole('menu', { name: 'What you point at' });
    await expect(menu).toContainText(`[${button.id}] ${button.name}`);
    await menu.getByRole('menuitem', { name: 'Ask about this' }).click();
    await expect(attached(page)).toContainText([`[${button.id}] button`]);
    await expect(box(page)).toHaveValue(`About [${button.id}]: `);

    await label.click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Attach picture of a region' }).click();
    const drawing = page.locator('.drawing');
    const area = (await drawing.boundingBox())!;
    await page.mouse.move(area.x + 40, area.y + 40);
    await page.mouse.down();
    await page.mouse.move(area.x + 240, area.y + 140);
    await page.mouse.up();
    await expect(attached(page)).toHaveCount(2);
    await attached(page).nth(1).getByRole('button', { name: /Open/ }).click();
    await expect(page.getByRole('dialog')).toContainText('From http');
    await page.keyboard.press('Escape');

    await label.click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Keep in notes' }).click();
    await expect(page.getByText('Added to the note “From pages”')).toBeVisible();

    await box(page).focus();
    await page.keyboard.press('End');
    await page.keyboard.type('what does it do?');
    await page.keyboard.press('Enter');
    await expect(conversation(page)).toContainText('It is a button.');
    const text = textOf(model.requests[0]);
    expect(text.match(/data:image\/png;base64,/g)).toHaveLength(2);
    expect(text).toContain('source=http');
    expect(text).toContain(`About [${button.id}]: what does it do?`);
    // The name of the button is the page's text, so it is not part of the person's words.
    expect(text).not.toContain(`About [${button.id}]: ${button.name}`);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
