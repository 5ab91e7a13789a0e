import type { CompletionItem, ListedRecipe, Recipe, RecipeList, RecipeSource } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { Store } from '../store/store.svelte';
import { RemoteValue } from '../remotevalue.svelte';

export const RECIPES_PANEL = 'recipes';

export type Row = Record<string, string>;
/** What a run returned, by name: texts, and rows as texts by column. */
export type RunValues = Record<string, string | Row[]>;

/** The recipes: what was done once on pages and can be run again. */
export class Recipes extends RemoteValue<RecipeList> {
  /** The name of the recipe that the panel shows, "" for none. */
  selected = $state('');
  /** The values that the form of a recipe starts with, by the name of the recipe. */
  initialValues = $state.raw<Record<string, Record<string, string>>>({});

  /** What the newest run in this window returned, by the name of the recipe. */
  returned = $state.raw<Record<string, RunValues>>({});

  /** The toast with the failure of the newest run, 0 for none. The next run dismisses it. */
  failureToast = 0;

  /** Tells the open panel that a batch has changed. The panel sets it. */
  onBatch: () => void = () => {};

  /** The event after which the person's steps in the browser are recorded, null while nothing is recorded. */
  since = $state<number | null>(null);
  /** What was recorded and is not saved yet, null for nothing. */
  recorded = $state.raw<RecipeSource | null>(null);

  /** The step for which the person clicks an element of the page, null for none. */
  picking = $state.raw<{ recipe: string; step: number } | null>(null);
  /** The element that was chosen for a step, until the panel tries it. */
  picked = $state.raw<{ recipe: string; step: number; element: number } | null>(null);

  constructor(
    actions: Actions,
    private readonly store: Store,
  ) {
    super(actions, () => actions.backend.recipes());
  }

  /** Starts to record what the person does in the browser, or ends it and offers to save it. */
  toggleRecording(): void {
    if (this.since !== null) this.recorded = { since: this.since };
    this.since = this.since === null ? this.store.state.seq : null;
  }

  get shown(): ListedRecipe | undefined {
    return this.value?.recipes.find((one) => one.recipe.name === this.selected);
  }

  /** Returns the recipes that complete the text, as slash commands. */
  async offersFor(text: string): Promise<CompletionItem[]> {
    if (!/^\/\S*$/.test(text)) return [];
    await this.read();
    return (this.value?.recipes ?? [])
      .filter(({ recipe }) => `/${recipe.name}`.startsWith(text.toLowerCase()))
      .slice(0, 8)
      .map(({ recipe, sentences }) => {
        const command = `/${recipe.name}`;
        return { insert: command, show: command, means: recipe.description || sentences.join(', ') };
      });
  }

  /** Shows the recipe that a slash command names, with its values: /order-lamp search=Moor. Returns false for others. */
  async show(text: string): Promise<boolean> {
    const [, name, rest] = /^\/([a-z][a-z0-9-]*)((?:\s+[a-z][a-z0-9_]*=(?:"[^"]*"|\S+))*)\s*$/.exec(text.trim()) ?? [];
    if (!name) return false;
    await this.read();
    if (!this.value?.recipes.some(({ recipe }) => recipe.name === name)) return false;
    const values = Object.fromEntries(
      [...(rest ?? '').matchAll(/([a-z][a-z0-9_]*)=(?:"([^"]*)"|(\S+))/g)].map((m) => [m[1], m[2] ?? m[3] ?? '']),
    );
    this.initialValues = { ...this.initialValues, [name]: values };
    this.selected = name;
    return true;
  }

  /** Keeps what was typed into the form of a recipe, until the window is closed. */
  setValue(recipe: string, name: string, value: string): void {
    this.initialValues = { ...this.initialValues, [recipe]: { ...this.initialValues[recipe], [name]: value } };
  }

  /** Saves a recipe and replaces the one of its name. */
  async save(recipe: Recipe): Promise<boolean> {
    const done = await this.actions.attempt(this.actions.backend.saveRecipe(withoutUnused(recipe)));
    await this.read();
    if (done) this.selected = recipe.name;
    return done;
  }

  /** Saves the elements that the last run used in place of lost ones. */
  async saveReplacements(name: string): Promise<void> {
    await this.actions.attempt(this.actions.backend.saveReplacements(name));
    await this.read();
  }

  /** Ends the last run, because the person has done the rest. */
  async endRun(name: string): Promise<void> {
    await this.actions.attempt(this.actions.backend.endRecipeRun(name));
    await this.read();
  }

  async remove(name: string): Promise<boolean> {
    const done = await this.actions.attempt(this.actions.backend.deleteRecipe(name));
    await this.read();
    return done;
  }
}

/** Returns a recipe without the parameters that no step uses. */
function withoutUnused(recipe: Recipe): Recipe {
  const steps = JSON.stringify(recipe.steps);
  return { ...recipe, parameters: recipe.parameters?.filter(({ name }) => steps.includes(`{{${name}}}`)) };
}

/** Returns a name for a recipe from the words of a title: "order-a-fen-lamp". */
export function recipeName(title: string): string {
  const words = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '');
  return words.slice(0, 40).replace(/-+$/, '');
}

/** Returns a name for a value from words: "order_number". */
export function snakeCase(words: string): string {
  return recipeName(words).replaceAll('-', '_');
}
