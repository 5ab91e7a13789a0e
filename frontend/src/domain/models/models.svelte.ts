import type { Model } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import { PILOT } from '../conversation/conversations.svelte';
import type { Settings } from '../settings/settings.svelte';
import type { Store } from '../store/store.svelte';

const FAVORITES = 'favorite_models';

/** The models that can be chosen, and which of them are favorites. */
export class Models {
  constructor(
    private readonly store: Store,
    private readonly settings: Settings,
    private readonly actions: Actions,
  ) {}

  /** The models that can be used now, with the favorites first. */
  readonly usable: Model[] = $derived.by(() => {
    const known = this.store.state.models;
    const pilot: Model = { name: PILOT, provider: PILOT, label: t('model.pilot'), state: 'ready' };
    const all = known.some((model) => model.name === PILOT) ? known : [pilot, ...known];
    const ready = all.filter((model) => model.state === 'ready');
    return [
      ...ready.filter((model) => this.isFavorite(model.name)),
      ...ready.filter((model) => !this.isFavorite(model.name)),
    ];
  });

  /** How many of some usable models are language models, which the pilot is not. */
  count(list = this.usable): number {
    return list.filter((model) => model.name !== PILOT).length;
  }

  readonly #favorites: Set<string> = $derived.by(
    () => new Set(this.settings.value(FAVORITES).split(',').filter(Boolean)),
  );

  isFavorite(name: string): boolean {
    return this.#favorites.has(name);
  }

  /** Whether a model can become a favorite: the setting separates names by commas. */
  canBeFavorite(name: string): boolean {
    return !name.includes(',') && !this.settings.overridingSource(FAVORITES);
  }

  async toggleFavorite(name: string): Promise<void> {
    const names = [...this.#favorites];
    const next = this.isFavorite(name) ? names.filter((one) => one !== name) : [...names, name];
    await this.settings.set(FAVORITES, next.join(','));
  }

  /** Returns the usable models of a provider, and the entry that says why there are none or not all. */
  of(provider: string): { models: Model[]; note: Model | undefined } {
    return {
      models: this.usable.filter((model) => model.provider === provider),
      note: this.store.state.models.find((model) => model.provider === provider && model.state !== 'ready'),
    };
  }

  /** Lists the models of a service at an address with a key, without saving them. "" is the default or saved one. */
  async try(provider: string, address: string, key: string): Promise<{ models: Model[]; error: string }> {
    try {
      return { models: await this.actions.backend.tryService(provider, address, key), error: '' };
    } catch (error) {
      return { models: [], error: failureText(error) };
    }
  }
}
