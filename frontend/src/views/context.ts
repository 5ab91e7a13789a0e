import { getContext, setContext } from 'svelte';
import type { App } from '../domain/app.svelte';

const KEY = Symbol('app');

/** Gives the app to every view below. */
export const provideApp = (app: App) => setContext(KEY, app);

/** The app, inside a component. */
export const useApp = () => getContext<App>(KEY);
