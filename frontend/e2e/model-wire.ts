import type { ServerResponse } from 'node:http';

/** One scripted answer: optional reasoning, text and tool calls, in this order. */
export interface Answer {
  thought?: string;
  text?: string;
  calls?: Call[];
  /** Stops after this many words of the text and leaves the stream open. */
  hold?: number;
  /** Waited for after the text. */
  until?: Promise<void>;
}

/** A tool call that an answer makes. */
export interface Call {
  name: string;
  args: Record<string, unknown>;
}

/** How a model without native tool calls writes them. */
export type Written = 'fenced' | 'tool_call' | 'hermes';

/** The call as text. */
export function writeCall(kind: Written, { name, args }: Call): string {
  const json = JSON.stringify(args);
  switch (kind) {
    case 'fenced':
      return `\n\`\`\`tool\nreturn ${name}(${json});\n\`\`\`\n`;
    case 'tool_call':
      return `\n<tool_call>{"name":${JSON.stringify(name)},"arguments":${json}}</tool_call>\n`;
    case 'hermes': {
      const parameters = Object.entries(args)
        .map(
          ([key, value]) =>
            `<parameter=${key}>\n${typeof value === 'string' ? value : JSON.stringify(value)}\n</parameter>\n`,
        )
        .join('');
      return `\n<tool_call>\n<function=${name}>\n${parameters}</function>\n</tool_call>\n`;
    }
  }
}

/** Sends an answer; `number` makes the ids of its calls unique. */
export type Wire = (response: ServerResponse, answer: Answer, number: number) => Promise<void>;

const words = (text = '') => text.match(/\S+\s*|\s+/g) ?? [];
const pieces = (text: string) => text.match(/[\s\S]{1,7}/g) ?? [];

/** OpenAI's chat completions: calls with their arguments in fragments, usage, [DONE]. */
export const chat: Wire = async (response, { thought, text, calls = [], hold, until }, number) => {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: 'test-model' };
  const chunk = (rest: object) => response.write(`data: ${JSON.stringify({ ...head, ...rest })}\n\n`);
  const send = (delta: unknown, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  send({ role: 'assistant', content: '' });
  for (const word of words(thought)) send({ reasoning_content: word });
  for (const word of words(text).slice(0, hold)) send({ content: word });
  if (hold !== undefined) return; // leave the stream open, like a slow model
  await until;
  calls.forEach(({ name, args }, index) => {
    const id = `call_${number}_${index}`;
    send({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of pieces(JSON.stringify(args))) send({ tool_calls: [{ index, function: { arguments: piece } }] });
  });
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
  response.end('data: [DONE]\n\n');
};

/** Anthropic's messages: content blocks as named events. */
export const anthropic: Wire = async (response, { thought, text, calls = [], hold, until }, number) => {
  const send = (type: string, rest: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  let index = 0;
  const block = (begin: object, grow: object[], open = false) => {
    send('content_block_start', { index, content_block: begin });
    for (const delta of grow) send('content_block_delta', { index, delta });
    if (!open) send('content_block_stop', { index: index++ });
  };
  const usage = { input_tokens: 100, output_tokens: 1 };
  send('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      content: [],
      stop_reason: null,
      usage,
    },
  });
  if (thought)
    block(
      { type: 'thinking', thinking: '' },
      words(thought).map((thinking) => ({ type: 'thinking_delta', thinking })),
    );
  if (text)
    block(
      { type: 'text', text: '' },
      words(text)
        .slice(0, hold)
        .map((word) => ({ type: 'text_delta', text: word })),
      hold !== undefined,
    );
  if (hold !== undefined) return;
  await until;
  calls.forEach(({ name, args }, i) =>
    block(
      { type: 'tool_use', id: `toolu_${number}_${i}`, name, input: {} },
      pieces(JSON.stringify(args)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    ),
  );
  send('message_delta', {
    delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: 20 },
  });
  send('message_stop', {});
  response.end();
};
