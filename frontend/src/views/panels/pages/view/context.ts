import { getContext, setContext } from 'svelte';
import type { DeclarativePage } from '../../../../domain/panels/page.svelte';
import type { Json, Result } from '../../../../shared/api/types';

/** A call that a button, a box or a form wants made; `confirm` is a question asked before. */
export interface Deed {
  label: string;
  tool: string;
  args: Record<string, Json>;
  confirm: string;
  danger: boolean;
}

/** What the parts of a declarative page share. */
export interface Drawing {
  page: DeclarativePage;
  /** Makes the call, after the question if there is one; null when the person said no. */
  act(deed: Deed): Promise<Result | null>;
}

const KEY = Symbol('drawing');

export const provideDrawing = (drawing: Drawing) => setContext(KEY, drawing);
export const useDrawing = () => getContext<Drawing>(KEY);
