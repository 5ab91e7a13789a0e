import type { EventOf, Message, StoredEvent, Turn, WaitingMessage } from '../../shared/api/types';
import { reduceBranches } from './branches';
import type { AppState, Item, TranscriptView } from './state';

type AssistantItem = Extract<Item, { kind: 'assistant' }>;

/** Applies an event to its conversation, if the conversation is loaded. */
export function reduceTranscript(state: AppState, event: StoredEvent): void {
  const transcript = event.conversation ? state.transcripts[event.conversation] : undefined;
  if (!transcript) return;
  if (transcript.until) reduceWithoutItems(transcript, event);
  else addEvent(state, transcript, event);
}

/** Applies an event that comes after the loaded part. */
function reduceWithoutItems(transcript: TranscriptView, event: StoredEvent): void {
  reduceBranches(transcript, event);
  switch (event.kind) {
    case 'message.waiting':
      putWaiting(transcript, event.data);
      break;
    case 'message.taken':
    case 'message.dropped':
      dropWaiting(transcript, event.data.id);
      break;
    case 'turn.started':
      transcript.turn = event.data;
      break;
    case 'turn.ended':
      transcript.turn = null;
  }
}

/** Applies an event to a transcript. */
export function addEvent(state: AppState, transcript: TranscriptView, event: StoredEvent): void {
  // Events without a sequence number could not be stored yet. Their items follow the others.
  transcript.place = event.seq > transcript.place ? event.seq : transcript.place + 0.001;
  reduceBranches(transcript, event);
  switch (event.kind) {
    case 'thought.delta':
      addReasoning(transcript, event);
      break;
    case 'message.added':
      endReasoning(transcript, event.time);
      addMessage(transcript, event.data);
      break;
    case 'message.waiting':
      putWaiting(transcript, event.data);
      break;
    case 'message.taken':
      takeWaiting(transcript, event);
      break;
    case 'message.dropped':
      dropWaiting(transcript, event.data.id);
      break;
    case 'text.delta':
      endReasoning(transcript, event.time);
      assistantItem(transcript, event.data.message, event).text += event.data.text;
      break;
    case 'turn.noted':
      endReasoning(transcript, event.time);
      addNote(transcript, event);
      break;
    case 'turn.started':
      transcript.turn = event.data;
      break;
    case 'turn.ended':
      endReasoning(transcript, event.time);
      endTurn(transcript, event.data);
      break;
    case 'call.started':
      endReasoning(transcript, event.time);
      addCall(state, transcript, event);
      break;
    case 'call.ended':
      addCall(state, transcript, event);
      addSources(transcript, event.turn, event.data.sources);
      break;
    case 'approval.asked':
      addCall(state, transcript, event);
      transcript.approvals[event.data.id] = event.data;
      break;
    case 'approval.answered':
      addAnswer(transcript, event);
  }
}

const hasItem = (transcript: TranscriptView, kind: Item['kind'], id: string) => transcript.known.has(kind + id);

type NewItem = Item extends infer One ? (One extends Item ? Omit<One, 'place'> : never) : never;

function push(transcript: TranscriptView, item: NewItem): void {
  transcript.items.push({ ...item, place: transcript.place } as Item);
  transcript.known.add(item.kind + item.id);
}

function addMessage(transcript: TranscriptView, message: Message): void {
  addSources(transcript, message.turn, message.outside);
  switch (message.role) {
    case 'user':
      addUserMessage(transcript, message);
      break;
    case 'assistant':
      addAssistantMessage(transcript, message);
      break;
    case 'summary':
      addSummary(transcript, message);
      break;
    case 'note':
      // Other notes are messages from Sextant to the model and are not shown.
      if (message.outside?.length) addAttachment(transcript, message);
  }
}

function addUserMessage(transcript: TranscriptView, { id, text, time, turn, outside }: Message): void {
  if (hasItem(transcript, 'user', id)) return;
  push(transcript, { kind: 'user', id, text, time, turn, ...(outside?.length ? { outside } : {}) });
}

function addAssistantMessage(transcript: TranscriptView, message: Message): void {
  orderCalls(
    transcript,
    (message.calls ?? []).map((call) => call.id),
  );
  const known = findAssistantItem(transcript, message.id);
  if (!known && !message.text) return;
  const item = known ?? assistantItem(transcript, message.id, message);
  if (message.text) item.text = message.text;
  item.done = message.status !== 'running';
  item.outside = message.outside ?? [];
  item.offers = message.offers ?? [];
}

/** Adds an attachment. The first line of the message is its title. */
function addAttachment(transcript: TranscriptView, { id, text: whole, outside, turn, files }: Message): void {
  if (hasItem(transcript, 'attachment', id)) return;
  const at = whole.indexOf('\n');
  const title = at < 0 ? whole : whole.slice(0, at);
  const text = at < 0 ? '' : whole.slice(at + 1);
  push(transcript, { kind: 'attachment', id, title, text, outside: outside ?? [], turn, file: files?.[0] });
}

function addNote(transcript: TranscriptView, event: EventOf<'turn.noted'>): void {
  const id = String(event.seq);
  if (hasItem(transcript, 'note', id)) return;
  push(transcript, { kind: 'note', id, text: event.data.text, turn: event.turn ?? '' });
}

function addSummary(transcript: TranscriptView, message: Message): void {
  const { id, text, time, turn } = message;
  const used = message.status === 'done';
  const known = transcript.items.find((item) => item.kind === 'summary' && item.id === id);
  if (known?.kind === 'summary') known.used = used;
  else push(transcript, { kind: 'summary', id, text, time, turn, used, outside: message.outside ?? [] });
}

/** Sorts the cards of calls that ran at the same time into the order of the model's answer. */
function orderCalls(transcript: TranscriptView, ids: string[]): void {
  const places = transcript.items.flatMap((item, i) => (item.kind === 'call' && ids.includes(item.id) ? [i] : []));
  const cards = places.map((i) => transcript.items[i]!).sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  places.forEach((place, i) => (transcript.items[place] = cards[i]!));
}

function putWaiting(transcript: TranscriptView, message: WaitingMessage): void {
  const at = transcript.waiting.findIndex((one) => one.id === message.id);
  if (at < 0) transcript.waiting.push(message);
  else transcript.waiting[at] = message;
}

function dropWaiting(transcript: TranscriptView, id: string): void {
  transcript.waiting = transcript.waiting.filter((one) => one.id !== id);
}

function takeWaiting(transcript: TranscriptView, event: EventOf<'message.taken'>): void {
  const { id, message, asked, steered = false } = event.data;
  dropWaiting(transcript, id);
  const item = transcript.items.findLast((one) => one.kind === 'user' && one.id === message);
  if (item?.kind === 'user') item.queued = { ms: Date.parse(event.time) - Date.parse(asked), steered };
}

function addReasoning(transcript: TranscriptView, event: EventOf<'thought.delta'>): void {
  const { message, text } = event.data;
  const { seq, time, turn = '' } = event;
  const last = transcript.items.at(-1);
  if (last?.kind === 'reasoning' && last.ms === null) last.text += text;
  else push(transcript, { kind: 'reasoning', id: `${message}.${seq}`, text, time, turn, ms: null });
}

function endReasoning(transcript: TranscriptView, time: string): void {
  const last = transcript.items.at(-1);
  if (last?.kind === 'reasoning' && last.ms === null) last.ms = Math.max(0, Date.parse(time) - Date.parse(last.time));
}

const findAssistantItem = (transcript: TranscriptView, id: string) =>
  transcript.items.findLast((item): item is AssistantItem => item.kind === 'assistant' && item.id === id);

function assistantItem(transcript: TranscriptView, id: string, at: { time: string; turn?: string }): AssistantItem {
  const known = findAssistantItem(transcript, id);
  if (known) return known;
  const { time, turn = '' } = at;
  push(transcript, { kind: 'assistant', id, text: '', time, turn, done: false, outside: [], offers: [] });
  // Read the item back from the list: writes to the pushed object itself would not be reactive.
  return transcript.items.at(-1) as AssistantItem;
}

function addCall(state: AppState, transcript: TranscriptView, event: StoredEvent): void {
  const { call: id, turn } = event;
  // Only the activity list shows calls that belong to no turn, such as those of an MCP server's page.
  if (!turn || !id || hasItem(transcript, 'call', id)) return;
  // The card of the outer call shows this call.
  if (hasItem(transcript, 'call', state.calls[id]?.outerCall ?? '')) return;
  const last = transcript.items.at(-1);
  if (last?.kind === 'assistant') last.done = true;
  push(transcript, { kind: 'call', id, turn });
}

function endTurn(transcript: TranscriptView, turn: Turn): void {
  for (const item of transcript.items) if (item.kind === 'assistant') item.done = true;
  transcript.turn = null;
  // When the disk was full, the same event arrives twice: at once, and after it is stored.
  if (hasItem(transcript, 'turnEnd', turn.id)) return;
  push(transcript, { kind: 'turnEnd', id: turn.id, turn });
}

function addAnswer(transcript: TranscriptView, event: EventOf<'approval.answered'>): void {
  const { data: answer, time, turn = '' } = event;
  if (hasItem(transcript, 'approval', answer.id)) return;
  const approval = transcript.approvals[answer.id] ?? null;
  push(transcript, { kind: 'approval', id: answer.id, approval, answer, time, turn });
}

function addSources(transcript: TranscriptView, turn = '', sources: string[] = []): void {
  transcript.sources[turn] ??= [];
  const known = transcript.sources[turn]; // read back, because the assigned array is not reactive
  for (const source of sources) {
    if (!known.includes(source)) known.push(source);
  }
}
