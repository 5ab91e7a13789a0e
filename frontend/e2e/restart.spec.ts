import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { openSettings, Sextant } from './sextant';

/** Returns the ids of the processes whose command line names the folder, such as the browser of the program. */
function left(dir: string): string[] {
  try {
    return execFileSync('pgrep', ['-f', dir], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
  } catch {
    return []; // pgrep exits 1 when nothing matches
  }
}

interface Transcript {
  conversation: { status: string; title: string };
  events: { kind: string; data: { text?: string; message?: string; role?: string } }[];
}

test('kill -9 during an answer loses nothing that was shown and leaves no browser running', async ({ page }) => {
  const dir = await mkdtemp(join(tmpdir(), 'sextant-kill-'));
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');
  const model = await ModelServer.start([
    { calls: [{ name: 'navigate_page', args: { url: 'demo' } }] },
    { text: words, hold: 30 },
    { text: 'We go on.' },
  ]);
  const env = model.env;
  try {
    const first = await Sextant.start({ dir, env });
    const { id } = await first.api<{ id: string }>('POST', '/api/conversations', {});
    await first.api('POST', `/api/conversations/${id}/messages`, { text: 'open the demo and tell me about it' });
    const shown = async (s: Sextant) => {
      const { events } = await s.api<Transcript>('GET', `/api/conversations/${id}`);
      return events
        .filter((e) => e.kind === 'text.delta')
        .map((e) => e.data.text)
        .join('');
    };
    await expect.poll(() => shown(first), { timeout: 30_000 }).toContain('word29');
    expect(left(join(dir, 'data')).length).toBeGreaterThan(0);
    const before = await shown(first);
    await first.kill();
    await expect.poll(() => left(join(dir, 'data'))).toEqual([]);

    const second = await Sextant.start({ dir, env });
    expect(await shown(second)).toBe(before);
    const { conversation } = await second.api<Transcript>('GET', `/api/conversations/${id}`);
    expect(conversation.status).toBe('interrupted');
    // It goes on at one press, and the model is told what was done.
    await page.goto(second.window());
    await page.getByRole('button', { name: 'Home', exact: true }).first().click();
    await page.getByRole('main').getByText('open the demo and tell me').click();
    await expect(page.getByText('1 step was done.')).toBeVisible();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await expect.poll(() => shown(second), { timeout: 30_000 }).toContain('We go on.');
    const sent = model.requests
      .at(-1)!
      .messages.map((m) => JSON.stringify(m.content))
      .join('\n');
    expect(sent).toContain('word29');
    await second.stop();
  } finally {
    await model.stop();
    await rm(dir, { recursive: true, force: true });
  }
});

test('a backup is restored at the next start, and what it replaces is kept', async ({ page }) => {
  const dir = await mkdtemp(join(tmpdir(), 'sextant-backup-'));
  try {
    const first = await Sextant.start({ dir });
    const { id } = await first.api<{ id: string }>('POST', '/api/conversations', { title: 'Trip to Oslo' });
    await page.goto(first.window());
    await openSettings(page, /Backups/);
    await expect(page.getByText('No backup yet')).toBeVisible();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await first.api('DELETE', `/api/conversations/${id}`);
    const restore = page.getByRole('button', { name: /Restore the backup of/ });
    await restore.click();
    await expect(page.getByText(/is restored at the next start/)).toBeVisible();
    await page.getByRole('button', { name: 'Do not restore' }).click();
    await expect(page.getByText(/is restored at the next start/)).toBeHidden();
    await restore.click();
    await expect(page.getByText(/is restored at the next start/)).toBeVisible();
    await first.stop();

    const second = await Sextant.start({ dir });
    const restored = await second.api<Transcript>('GET', `/api/conversations/${id}`);
    expect(restored.conversation.title).toBe('Trip to Oslo');
    await page.goto(second.window());
    await openSettings(page, /Backups/);
    await expect(page.getByRole('button', { name: /Restore the backup of/ })).toBeEnabled();
    await second.stop();
    expect((await readdir(join(dir, 'data'))).filter((name) => name.startsWith('sextant.db.replaced-'))).not.toEqual(
      [],
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
