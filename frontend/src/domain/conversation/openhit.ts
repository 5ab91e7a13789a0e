import type { SearchHit } from '../../shared/api/types';
import type { Actions } from '../actions';

/** Opens conversations, at an event where that is supported. */
interface Opener {
  open(id: string): Promise<void>;
  openAt?(id: string, seq: number): Promise<void>;
}

/** Shows a hit in its branch. A hit in a subagent's conversation is shown at the call that started the subagent. */
export async function openHit(conversations: Opener, actions: Actions, hit: SearchHit): Promise<void> {
  const { conversation, seq } = hit.parent ?? hit;
  // While a turn runs, the program refuses another branch; the conversation still opens.
  if (!hit.shown && !hit.parent)
    await actions.attempt(actions.backend.chooseBranch(hit.conversation, hit.branch ?? ''));
  if (conversations.openAt && seq) await conversations.openAt(conversation, seq);
  else await conversations.open(conversation);
}
