import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Conversation } from '../../shared/api/types';
import { Actions } from '../actions';
import { Panels } from '../panels/panels.svelte';
import { Settings } from '../settings/settings.svelte';
import { Store } from '../store/store.svelte';
import { Toasts, UNDO_MS } from '../toasts.svelte';
import { Conversations } from './conversations.svelte';

/** The messages that the program received, with the functions that accept them. */
let received: { id: string; text: string; accept: () => void }[] = [];
let conversations: Conversations;
let store: Store;
let toasts: Toasts;
let deleted: string[] = [];

beforeEach(() => {
  received = [];
  deleted = [];
  const backend = {
    send: (id: string, text: string) => new Promise<void>((accept) => void received.push({ id, text, accept })),
    setting: () => Promise.resolve(),
    deleteConversation: async (id: string) => void deleted.push(id),
    conversation: () => Promise.reject(new Error('not needed')),
  };
  store = new Store();
  toasts = new Toasts();
  const actions = new Actions(backend as unknown as Backend, store, toasts);
  const settings = new Settings(store, actions);
  conversations = new Conversations(store, actions, settings, new Panels(store, actions), toasts);
  conversations.currentId = 'one';
});

const texts = () => received.map((message) => message.text);
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('sending', () => {
  it('sends a second message once the first is accepted', async () => {
    conversations.draft = 'first';
    const first = conversations.send();
    conversations.draft = 'second';
    const second = conversations.send();
    await settle();
    expect(texts()).toEqual(['first']);
    received[0]!.accept();
    expect(await first).toBe(true);
    await settle();
    expect(texts()).toEqual(['first', 'second']);
    received[1]!.accept();
    expect(await second).toBe(true);
    expect([conversations.draft, conversations.sending]).toEqual(['', false]);
  });
  it('sends a message once, even if Enter is pressed twice', async () => {
    conversations.draft = 'first';
    const sent = conversations.send();
    await settle();
    expect(await conversations.send()).toBe(false);
    received[0]!.accept();
    await sent;
    expect(texts()).toEqual(['first']);
  });
  it('sends a waiting message to the conversation it was written in', async () => {
    const first = conversations.send('first');
    const second = conversations.send('second');
    await settle();
    conversations.currentId = 'two';
    received[0]!.accept();
    await first;
    await settle();
    expect(received[1]?.id).toBe('one');
    received[1]!.accept();
    await second;
  });
});

describe('deleting', () => {
  it('hides the conversation, and deletes it unless that is undone', async () => {
    vi.useFakeTimers();
    try {
      for (const id of ['one', 'two']) {
        store.apply({ kind: 'conversation', conversation: { id, title: id } as Conversation });
      }
      const shown = () => conversations.topLevel.map((c) => c.id).sort();
      conversations.remove();
      expect(shown()).toEqual(['two']);
      expect(conversations.currentId).toBe('');
      toasts.list[0]!.action!.run();
      await vi.advanceTimersByTimeAsync(2 * UNDO_MS);
      expect(shown()).toEqual(['one', 'two']);
      expect(conversations.currentId).toBe('one');
      expect(deleted).toEqual([]);
      conversations.remove();
      await vi.advanceTimersByTimeAsync(2 * UNDO_MS);
      expect(deleted).toEqual(['one']);
    } finally {
      vi.useRealTimers();
    }
  });
});
