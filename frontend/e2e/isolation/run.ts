import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Canary } from './canary';
import { manifests, scripts, victim, type Hostile } from './hostile';

/** What the suite asks of a running Sextant: its data folder, its address and its door for programs. */
export interface Door {
  data: string;
  url: string;
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface Outcome {
  panels: number;
  /** What a panel got that it must not have. */
  breaches: string[];
  calls: number;
  /** Connections on which nothing was asked. */
  bare: number;
}

interface Report {
  won?: string[];
  done?: boolean;
}

const all: Record<string, Hostile & { off?: boolean }> = {
  ...Object.fromEntries(Object.entries(scripts).map(([id, h]) => [id, typeof h === 'string' ? { script: h } : h])),
  ...manifests,
};

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The entry of a panel: the attack between two reports. */
const page = (script: string) => `<!doctype html><meta charset="utf-8"><title>x</title><body><script>
const C = '{{C}}', N = '{{N}}', S = '{{S}}', U = {{U}}, report = { won: [], done: false };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const won = (why) => { report.won.push(String(why)); sextant.state.set(report).catch(() => {}); };
const put = (tag, attributes = {}, text = '', at = document.body) => {
  const e = document.createElement(tag); for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.textContent = text; at.append(e); return e; };
(async () => { await sextant.ready; await sextant.state.set(report);
  try { ${script} } catch (error) { report.error = String(error); }
  report.done = true; await sextant.state.set(report); })();
</script>`;

async function write(door: Door, canary: Canary, secret: string, id: string, panel: Hostile): Promise<void> {
  const fill = (text: string) =>
    text
      .replaceAll('{{C}}', `http://127.0.0.1:${canary.port}`)
      .replaceAll('{{N}}', `http://localhost:${canary.port}`)
      .replaceAll('{{S}}', new URL(door.url).origin)
      .replaceAll('{{U}}', String(canary.udpPort))
      .replaceAll('{{slow}}', canary.slowURL)
      .replaceAll('{{secret}}', secret);
  const dir = join(door.data, 'panels', id);
  await mkdir(dir, { recursive: true });
  const manifest = {
    panel_id: id,
    panel_type: 'hostile',
    title: id,
    ui: { kind: 'webview', entry: 'index.html' },
    tools: [],
    ...panel.manifest,
  };
  const files = { ...panel.files, 'index.html': panel.html ?? page(panel.script ?? '') };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), fill(text));
  }
  for (const [name, target] of Object.entries(panel.links ?? {})) await symlink(fill(target), join(dir, name));
  await writeFile(join(dir, 'manifest.json'), fill(JSON.stringify(manifest)));
}

/** Opens every hostile panel in turn in the window that shows this Sextant, and tells what got out. */
export async function isolate(
  door: Door,
  canary: Canary,
  secret: string,
  patience: number,
  bareAllowed: boolean,
): Promise<Outcome> {
  let bare = 0;
  const breaches: string[] = [];
  await write(door, canary, secret, 'victim', victim);
  for (const [id, panel] of Object.entries(all)) await write(door, canary, secret, id, panel);
  const count = Object.keys(all).length + 1;
  const listed = async () =>
    (await door.api<{ panels: { id: string; usable: boolean }[] }>('GET', '/api/panels')).panels;
  for (let i = 0; (await listed()).filter(({ id }) => id in all || id === 'victim').length < count; i++) {
    if (i > 200) throw new Error('the hostile panels are not all listed');
    await pause(100);
  }
  const usable = new Set((await listed()).filter((p) => p.usable).map((p) => p.id));
  const report = async (id: string) =>
    (await door.api<{ state: Report | null }>('GET', `/api/panels/${id}/state`)).state ?? {};
  const visit = async (id: string, panel: Hostile): Promise<boolean> => {
    canary.panel = id;
    const before = canary.contacts.length;
    await door.api('POST', '/api/panels/open', { panel: id });
    const end = Date.now() + (panel.gone ? Math.min(1000, patience / 8) : patience);
    let said: Report = {};
    while (Date.now() < end && !said.done) {
      await pause(50);
      said = await report(id);
    }
    await pause(100);
    for (const why of (await report(id)).won ?? []) breaches.push(`${id}: ${why}`);
    for (const { what } of canary.contacts.slice(before)) {
      // Chromium connects for a navigation of a frame before it asks the policy that refuses it. No request follows.
      if (
        bareAllowed &&
        /^(leave-|blank-child$|frame$)/.test(id) &&
        (what === 'a connection' || what.startsWith('\x16\x03'))
      )
        bare++;
      else breaches.push(`${id}: the canary heard ${what}`);
    }
    return said.done ?? false;
  };
  const mute: string[] = [];
  for (const [id, panel] of Object.entries(all)) {
    if (panel.off) {
      if (usable.has(id)) breaches.push(`${id}: its manifest is in force`);
      continue;
    }
    if (!usable.has(id)) throw new Error(`${id} is not usable, and was to be tried`);
    if (!(await visit(id, panel)) && !panel.gone) mute.push(id);
  }
  if (mute.length) breaches.push(`no report from ${mute.join(', ')}: the try itself is broken, or the window was`);
  if (!(await visit('victim', victim))) breaches.push('victim: the window does not work any more');
  const { calls } = await door.api<{ calls: { tool: string; status?: string }[] }>('GET', '/api/calls?limit=500');
  for (const row of calls ?? []) {
    if (row.tool === 'bash' && row.status === 'done') breaches.push('bash ran');
  }
  return { panels: count, breaches, calls: (calls ?? []).length, bare };
}
