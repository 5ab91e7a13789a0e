import { getContext, setContext } from 'svelte';
import type { App } from '../domain/app.svelte';

/** The controllers of the window by name. */
type Controllers = Omit<App, 'start'>;

const keyOf = (name: keyof Controllers) => `controller.${name}`;

/** Gives every controller its own context, for all views below. */
export function provideControllers(app: App): void {
  for (const name of Object.keys(app) as (keyof Controllers)[]) setContext(keyOf(name), app[name]);
}

/** A controller, inside a component. */
export const useController = <Name extends keyof Controllers>(name: Name): Controllers[Name] =>
  getContext<Controllers[Name]>(keyOf(name));
