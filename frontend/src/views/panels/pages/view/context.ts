import { getContext, setContext } from 'svelte';
import type { DeclarativePage } from '../../../../domain/panels/page.svelte';
import type { Json, Result } from '../../../../shared/api/types';

/** A tool call that a button, a checkbox or a form asks for. */
export interface PageCall {
  label: string;
  tool: string;
  args: Record<string, Json>;
  /** Asked before the call is made; empty for no question. */
  confirm: string;
  danger: boolean;
}

/** What the parts of a declarative page share. */
export interface PageContext {
  page: DeclarativePage;
  /** Makes the call, after its question if it has one; null when the person declined. */
  run(call: PageCall): Promise<Result | null>;
}

const KEY = Symbol('page');

export const providePage = (context: PageContext) => setContext(KEY, context);
export const usePage = () => getContext<PageContext>(KEY);
