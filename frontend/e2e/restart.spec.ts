import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { Sextant } from './sextant';

/** Returns the ids of the processes whose command line names the folder, such as the browser of the program. */
function left(dir: string): string[] {
  try {
    return execFileSync('pgrep', ['-f', dir], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
  } catch {
    return []; // pgrep exits 1 when nothing matches
  }
}

interface Transcript {
  conversation: { status: string };
  events: { kind: string; data: { text?: string; message?: string; role?: string } }[];
}

test('kill -9 during an answer loses nothing that was shown and leaves no browser running', async () => {
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
    await second.api('POST', `/api/conversations/${id}/messages`, { text: 'go on' });
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
