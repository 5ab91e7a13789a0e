import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ModelServer, type Request } from './model-server';
import { gate, sendMessage, Sextant, conversation } from './sextant';

const received = (asked: Request) => JSON.stringify(asked.messages).replaceAll('\\', '');
const many = (word: string) => Array.from({ length: 60 }, (_, i) => `${word}${i}`).join(' ');

for (const service of ['openai', 'anthropic'] as const) {
  test(`a conversation in ${service}’s format: file, page, approval, steering, stop, branch, kill -9`, async ({
    page,
  }) => {
    test.setTimeout(180_000);
    const speaking = gate();
    const model = await ModelServer.start([
      {
        thought: 'The notes first.',
        text: 'First your notes.',
        calls: [{ name: 'read_file', args: { path: 'notes.txt' } }],
      },
      { calls: [{ name: 'navigate_page', args: { url: 'demo' } }] },
      { text: 'Now its title.', calls: [{ name: 'evaluate_script', args: { script: 'document.title' } }] },
      { text: 'Fen costs 72 euros and fits.', until: speaking.until },
      { text: 'Fen.' },
      { text: many('stop'), hold: 40 },
      { text: 'Moor costs 64 euros.' },
      { text: many('kill'), hold: 40 },
      (asked) => ({ text: `We go on with ${received(asked).includes('Moor costs 64') ? 'Moor' : 'nothing'}.` }),
    ]);
    const dir = await mkdtemp(join(tmpdir(), 'sextant-walk-'));
    const key = service.toUpperCase();
    const start = () =>
      Sextant.start({
        dir,
        env: {
          [`SEXTANT_${key}_BASE_URL`]: model.url,
          [`SEXTANT_${key}_API_KEY`]: 'k',
          SEXTANT_MODEL: `${service}/test-model`,
        },
      });
    let sextant = await start();
    try {
      await writeFile(join(sextant.work, 'notes.txt'), 'A lamp for the desk, under 80 euros.\n');
      await page.goto(sextant.window());

      // A file, a page and an approval.
      await sendMessage(page, 'Which lamp of the demo shop fits my notes?');
      await expect(conversation(page)).toContainText('First your notes.');
      const ask = page.getByRole('alertdialog').filter({ hasText: 'Run a script on' }).first();
      await ask.getByRole('button', { name: 'Allow once' }).click();
      await expect(conversation(page)).toContainText('Fen costs 72 euros and fits.');
      expect(received(model.requests[1]!)).toContain('A lamp for the desk');
      expect(received(model.requests[3]!)).toContain('Desk lamps');

      // Steered during the answer.
      await page.getByRole('textbox', { name: 'Message to the assistant' }).fill('only the name');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('list', { name: 'Queued messages' })).toContainText('only the name');
      speaking.open();
      await expect(conversation(page).getByText('Fen.', { exact: true })).toBeVisible();

      // Stopped.
      await sendMessage(page, 'and the others?');
      await expect(conversation(page)).toContainText('stop39');
      await page.getByRole('button', { name: 'Stop' }).click();
      await expect(conversation(page)).toContainText('Stopped by you.');

      // Branched: the message is edited, and the first branch stays.
      const mine = (text: string) => conversation(page).getByRole('article').filter({ hasText: text });
      await mine('and the others?').getByRole('button', { name: 'Edit message' }).click();
      await page.getByRole('textbox', { name: 'Edit message' }).fill('and Moor?');
      await page.keyboard.press('Enter');
      await expect(conversation(page)).toContainText('Moor costs 64 euros.');
      await expect(conversation(page)).not.toContainText('stop39');
      expect(received(model.requests.at(-1)!)).not.toContain('stop39');

      // Killed during an answer: what was shown is still there, and the conversation continues in its branch.
      await sendMessage(page, 'tell me all about it');
      await expect(conversation(page)).toContainText('kill39');
      await sextant.kill();
      sextant = await start();
      await page.goto(sextant.window());
      await expect(conversation(page)).toContainText('kill39');
      await expect(conversation(page)).toContainText('Interrupted');
      await expect(conversation(page)).not.toContainText('stop39');
      await sendMessage(page, 'go on');
      await expect(conversation(page)).toContainText('We go on with Moor.');
      await mine('and Moor?').getByRole('button', { name: 'Previous branch' }).click();
      await expect(conversation(page)).toContainText('stop39');
    } finally {
      speaking.open();
      await sextant.stop();
      await model.stop();
      await rm(dir, { recursive: true, force: true });
    }
  });
}
