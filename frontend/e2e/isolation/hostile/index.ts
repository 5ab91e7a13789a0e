import { access } from './access';
import { documents } from './documents';
import { limits } from './limits';
import { navigation } from './navigation';
import { network } from './network';
import { tool, type Hostile } from './panel';

export { manifests } from './manifests';
export type { Hostile } from './panel';

/** Panels whose page is the attack. */
export const scripts: Record<string, Hostile | string> = {
  ...documents,
  ...navigation,
  ...network,
  ...access,
  ...limits,
};

/** Pages that reach the canary without the sandbox; they prove that the suite notices an escape. */
export const outgoing = [
  'fetch',
  'xhr',
  'beacon',
  'image',
  'style',
  'script',
  'font',
  'frame',
  'form-button',
  'websocket',
  'eventsource',
  'leave-http',
  'leave-refresh',
];

/** Reports a breach, to prove that the suite notices one. */
export const breach: Hostile = { script: `won('what it must not have');` };

/** Reports once, then loops endlessly. */
export const endless: Hostile = { script: `for (;;);`, gone: true };

/** The page the others try to reach. It must still work after all of them. */
export const victim: Hostile = {
  script: `if ((await sextant.state.get())?.id === 'victim') won('its state was written by another'); `,
  manifest: {
    backend: { kind: 'http', url: 'http://127.0.0.1:9' },
    tools: [tool('victim_keep', 'POST /api/victim/keep')],
  },
};
