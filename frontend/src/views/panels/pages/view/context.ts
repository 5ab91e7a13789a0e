import { getContext, setContext } from 'svelte';
import type { DeclarativePage } from '../../../../domain/panels/page.svelte';
import type { Json, Result } from '../../../../shared/api/types';

/** A call that a button, a checkbox or a form requests. */
export interface PageCall {
  label: string;
  tool: string;
  args: Record<string, Json>;
  /** The question to ask the person before the call; "" for none. */
  confirm: string;
  danger: boolean;
}

/** The context that the parts of a declarative page share. */
export interface PageContext {
  page: DeclarativePage;
  /** Asks the question of the call, if any, and makes the call. Returns null when the person declined. */
  run(call: PageCall): Promise<Result | null>;
}

const KEY = Symbol('page');

export const providePage = (context: PageContext) => setContext(KEY, context);
export const usePage = () => getContext<PageContext>(KEY);
