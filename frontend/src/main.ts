import './shared/format/language';
import './shared/css/index.css';
import { mount } from 'svelte';
import { lastTheme, wearTheme } from './domain/settings/settings.svelte';
import { BackendError, type Backend } from './shared/api/backend';
import { Loopback } from './shared/api/loopback';
import { openSession } from './shared/api/session';
import { t } from './shared/i18n';
import Root from './views/Root.svelte';

wearTheme(lastTheme());
document.title = t('app.name');

/** Connects to the program. In development, `?fake=NAME` plays a recorded scenario instead. */
async function connect(): Promise<Backend> {
  if (import.meta.env.DEV) {
    const scenario = new URLSearchParams(location.search).get('fake');
    if (scenario) return (await import('./dev/fake')).fakeBackend(scenario);
  }
  return new Loopback(await openSession());
}

const target = document.getElementById('app');
if (target) {
  mount(Root, {
    target,
    props: { connect, refused: (error: unknown) => error instanceof BackendError && error.status > 0 },
  });
}
