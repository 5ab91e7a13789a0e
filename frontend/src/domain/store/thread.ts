import type {
  Approval,
  ApprovalAnswer,
  CallEnd,
  Delta,
  Message,
  StoredEvent,
  Taken,
  Turn,
  Waiting,
} from '../../shared/api/types';
import { reduceBranches } from './branches';
import type { AppState, Item, Thread } from './state';

type Say = Extract<Item, { kind: 'say' }>;

/** Applies an event to its conversation, if that conversation was read. */
export function reduceThread(state: AppState, event: StoredEvent): void {
  const thread = event.conversation ? state.threads[event.conversation] : undefined;
  if (!thread) return;
  reduceBranches(thread, event);
  if (event.kind === 'thought.delta') {
    think(thread, event);
    return;
  }
  if (ENDS_THOUGHT.has(event.kind)) endThought(thread, event);
  switch (event.kind) {
    case 'message.added':
      addMessage(thread, event.data as Message);
      break;
    case 'message.waiting':
      putWaiting(thread, event.data as Waiting);
      break;
    case 'message.taken':
      taken(thread, event);
      break;
    case 'message.dropped':
      forget(thread, (event.data as { id: string }).id);
      break;
    case 'text.delta': {
      const delta = event.data as Delta;
      say(thread, delta.message, event).text += delta.text;
      break;
    }
    case 'turn.noted':
      addNote(thread, event);
      break;
    case 'turn.started':
      thread.turn = event.data as Turn;
      break;
    case 'turn.ended':
      endTurn(thread, event.data as Turn);
      break;
    case 'call.started':
      addCall(state, thread, event);
      break;
    case 'call.ended':
      addCall(state, thread, event);
      taint(thread, event.turn, (event.data as CallEnd).sources);
      break;
    case 'approval.asked':
      addCall(state, thread, event);
      thread.questions[(event.data as Approval).id] = event.data as Approval;
      break;
    case 'approval.answered':
      answered(thread, event);
  }
}

function addMessage(thread: Thread, message: Message): void {
  taint(thread, message.turn, message.outside);
  if (message.role === 'note' && message.outside?.length) {
    addGiven(thread, message);
    return;
  }
  // A note is what Sextant tells the model, not the person.
  if (message.role === 'tool' || message.role === 'note') return;
  if (message.role === 'user') {
    if (thread.items.some((item) => item.kind === 'me' && item.id === message.id)) return;
    const { id, text, time, turn, outside } = message;
    thread.items.push({ kind: 'me', id, text, time, turn, ...(outside?.length ? { outside } : {}) });
    return;
  }
  if (message.role === 'summary') {
    addSummary(thread, message);
    return;
  }
  orderCalls(
    thread,
    (message.calls ?? []).map((call) => call.id),
  );
  const known = findSay(thread, message.id);
  if (!known && !message.text) return;
  const item = known ?? say(thread, message.id, { time: message.time, turn: message.turn });
  if (message.text) item.text = message.text;
  item.done = message.status !== 'running';
  item.outside = message.outside ?? [];
  item.offers = message.offers ?? [];
}

/** The first line says what it is. */
function addGiven(thread: Thread, { id, text, outside, turn }: Message): void {
  if (thread.items.some((item) => item.kind === 'given' && item.id === id)) return;
  const at = text.indexOf('\n');
  const title = at < 0 ? text : text.slice(0, at);
  thread.items.push({ kind: 'given', id, title, text: at < 0 ? '' : text.slice(at + 1), outside: outside ?? [], turn });
}

function addNote(thread: Thread, event: StoredEvent): void {
  const id = String(event.seq);
  if (thread.items.some((item) => item.kind === 'note' && item.id === id)) return;
  thread.items.push({ kind: 'note', id, text: (event.data as { text: string }).text, turn: event.turn ?? '' });
}

function addSummary(thread: Thread, message: Message): void {
  const { id, text, time, turn } = message;
  const used = message.status === 'done';
  const known = thread.items.find((item) => item.kind === 'sum' && item.id === id);
  if (known?.kind === 'sum') known.used = used;
  else thread.items.push({ kind: 'sum', id, text, time, turn, used, outside: message.outside ?? [] });
}

/** Calls of one answer run together: their cards stand as the answer names them, not as they began. */
function orderCalls(thread: Thread, ids: string[]): void {
  const places = thread.items.flatMap((item, i) => (item.kind === 'call' && ids.includes(item.id) ? [i] : []));
  const cards = places.map((i) => thread.items[i]!).sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  places.forEach((place, i) => (thread.items[place] = cards[i]!));
}

function putWaiting(thread: Thread, message: Waiting): void {
  const at = thread.waiting.findIndex((one) => one.id === message.id);
  if (at < 0) thread.waiting.push(message);
  else thread.waiting[at] = message;
}

function forget(thread: Thread, id: string): void {
  thread.waiting = thread.waiting.filter((one) => one.id !== id);
}

function taken(thread: Thread, event: StoredEvent): void {
  const { id, message, asked, steered = false } = event.data as Taken;
  forget(thread, id);
  const item = thread.items.findLast((one) => one.kind === 'me' && one.id === message);
  if (item?.kind === 'me') item.waited = { ms: Date.parse(event.time) - Date.parse(asked), steered };
}

/** What comes after a model has thought. */
const ENDS_THOUGHT: ReadonlySet<string> = new Set([
  'text.delta',
  'turn.noted',
  'call.started',
  'message.added',
  'turn.ended',
]);

function think(thread: Thread, event: StoredEvent): void {
  const { message, text } = event.data as Delta;
  const last = thread.items.at(-1);
  if (last?.kind === 'thought' && last.ms === null) last.text += text;
  else
    thread.items.push({
      kind: 'thought',
      id: `${message}.${event.seq}`,
      text,
      time: event.time,
      turn: event.turn ?? '',
      ms: null,
    });
}

function endThought(thread: Thread, event: StoredEvent): void {
  const last = thread.items.at(-1);
  if (last?.kind === 'thought' && last.ms === null)
    last.ms = Math.max(0, Date.parse(event.time) - Date.parse(last.time));
}

const findSay = (thread: Thread, id: string) =>
  thread.items.findLast((item): item is Say => item.kind === 'say' && item.id === id);

function say(thread: Thread, id: string, at: { time: string; turn?: string }): Say {
  const known = findSay(thread, id);
  if (known) return known;
  thread.items.push({
    kind: 'say',
    id,
    text: '',
    time: at.time,
    turn: at.turn ?? '',
    done: false,
    outside: [],
    offers: [],
  });
  // Read back through the list, so that a reactive state sees what is written to it.
  return thread.items.at(-1) as Say;
}

function addCall(state: AppState, thread: Thread, event: StoredEvent): void {
  const id = event.call;
  const has = (call: string) => thread.items.some((item) => item.kind === 'call' && item.id === call);
  // What the page of an MCP server calls, in no turn, stands in the activity: it may call every second.
  if (!event.turn) return;
  // What a call does by another one is shown on its own card.
  if (!id || has(id) || has(state.calls[id]?.within ?? '')) return;
  finishSay(thread);
  thread.items.push({ kind: 'call', id, turn: event.turn ?? '' });
}

function finishSay(thread: Thread): void {
  const last = thread.items.at(-1);
  if (last?.kind === 'say') last.done = true;
}

function endTurn(thread: Thread, turn: Turn): void {
  for (const item of thread.items) if (item.kind === 'say') item.done = true;
  thread.turn = null;
  // What a full disk did not take is shown at once, and comes again when it is stored.
  if (thread.items.some((item) => item.kind === 'end' && item.id === turn.id)) return;
  thread.tokens += (turn.usage?.input ?? 0) + (turn.usage?.output ?? 0);
  thread.items.push({ kind: 'end', id: turn.id, turn });
}

function answered(thread: Thread, event: StoredEvent): void {
  const answer = event.data as ApprovalAnswer;
  if (thread.items.some((item) => item.kind === 'answer' && item.id === answer.id)) return;
  const approval = thread.questions[answer.id] ?? null;
  thread.items.push({ kind: 'answer', id: answer.id, approval, answer, time: event.time, turn: event.turn ?? '' });
}

function taint(thread: Thread, turn = '', sources: string[] = []): void {
  thread.sources[turn] ??= [];
  const known = thread.sources[turn]; // read back, so that a reactive state sees what is written to it
  for (const source of sources) {
    if (!thread.outside.includes(source)) thread.outside.push(source);
    if (!known.includes(source)) known.push(source);
  }
}
