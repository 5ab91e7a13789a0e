import { getContext, setContext } from 'svelte';
import type { App } from '../domain/app.svelte';

/** The controllers of the window by name. */
type Controllers = Omit<App, 'start'>;

const keyOf = (name: keyof Controllers) => `controller.${name}`;

/** Sets a Svelte context for every controller, so that all child components can use it. */
export function provideControllers(app: App): void {
  for (const name of Object.keys(app) as (keyof Controllers)[]) setContext(keyOf(name), app[name]);
}

/** Returns a controller by its name. Call it during the initialization of a component. */
export const useController = <Name extends keyof Controllers>(name: Name): Controllers[Name] =>
  getContext<Controllers[Name]>(keyOf(name));
