import './shared/format/language';
import './shared/css/index.css';
import { mount } from 'svelte';
import { lastTheme, applyTheme } from './domain/settings/settings.svelte';
import { createBackend, type Backend } from './shared/api/backend';
import { BackendError } from './shared/api/client';
import { openSession } from './shared/api/session';
import { t } from './shared/i18n';
import Root from './views/Root.svelte';

applyTheme(lastTheme());
document.title = t('app.name');

/** Returns the client of the program. In development, `?fake=NAME` returns one that plays that scenario instead. */
async function connect(): Promise<Backend> {
  if (import.meta.env.DEV) {
    const scenario = new URLSearchParams(location.search).get('fake');
    if (scenario) return (await import('./dev/fake')).fakeBackend(scenario);
  }
  return createBackend(await openSession());
}

const target = document.getElementById('app');
if (target) {
  mount(Root, {
    target,
    props: { connect, refused: (error: unknown) => error instanceof BackendError && error.status > 0 },
  });
}
