import { getContext, setContext } from 'svelte';
import type { App } from '../domain/app.svelte';

const KEY = Symbol('app');

/** Provides the app to all components below. */
export const provideApp = (app: App) => setContext(KEY, app);

/** Returns the app. Call it while a component is set up. */
export const useApp = () => getContext<App>(KEY);
