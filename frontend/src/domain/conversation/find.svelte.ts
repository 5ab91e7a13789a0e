import type { SearchHit } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { Conversations } from './conversations.svelte';
import { MessageSearch } from './messagesearch.svelte';

/** The most messages that are found in a conversation, as many as the program returns at once. */
const MAX_FOUND = 200;

/** Finds text in the shown conversation and steps through the messages that contain it, in their order. */
export class Find {
  isOpen = $state(false);
  query = $state('');
  /** The index of the shown hit, -1 for none. */
  at = $state(-1);
  readonly search: MessageSearch;
  /** The hits of the active branch, the oldest first. */
  readonly hits: SearchHit[] = $derived.by(() =>
    this.search.hits.filter((hit) => hit.shown).sort((a, b) => a.seq - b.seq),
  );

  constructor(
    actions: Actions,
    private readonly conversations: Conversations,
  ) {
    this.search = new MessageSearch(actions, conversations, MAX_FOUND);
  }

  open(): void {
    if (this.conversations.currentId) this.isOpen = true;
  }

  close(): void {
    this.isOpen = false;
    this.query = '';
    this.at = -1;
    this.search.clear();
  }

  type(query: string): void {
    this.query = query;
    this.at = -1;
    this.search.type(query, this.conversations.currentId);
  }

  /** Shows the next hit (by = 1) or the previous one (by = -1). The first one shown is the newest. */
  async step(by: 1 | -1): Promise<void> {
    const query = this.query;
    await this.search.search(query, this.conversations.currentId);
    const count = this.hits.length;
    if (!count || query !== this.query) return;
    this.at = this.at < 0 ? count - 1 : (this.at + by + count) % count;
    await this.search.open(this.hits[this.at]!);
  }
}
