import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One scripted answer: perhaps thoughts, text, then perhaps calls; `hold` stops after that many words, `until` waits after the text. */
export interface Answer {
  thought?: string;
  text?: string;
  calls?: { name: string; args: Record<string, unknown> }[];
  hold?: number;
  until?: Promise<void>;
}

/** What a request to the server held. */
export interface Request {
  model: string;
  messages: { role: string; content: unknown; tool_call_id?: string }[];
  tools?: { function: { name: string } }[];
}

/**
 * A local server that speaks OpenAI's chat completions over the wire: server-sent events,
 * tool calls whose arguments come in fragments, usage, [DONE]. Asked in which form it writes
 * calls, it makes the one wanted; that is none of the scripted answers.
 */
export class ModelServer {
  readonly requests: Request[] = [];
  private readonly answers: Answer[];
  private readonly server: Server;

  private constructor(answers: Answer[]) {
    this.answers = [...answers];
    this.server = createServer((request, response) => {
      if (request.url?.endsWith('/models')) {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] }));
        return;
      }
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        const asked = JSON.parse(body) as Request;
        if (asked.tools?.length === 1 && asked.tools[0]?.function.name === 'say_word') {
          void this.answer(response, { calls: [{ name: 'say_word', args: { word: 'saffron' } }] });
          return;
        }
        this.requests.push(asked);
        void this.answer(response, this.answers.shift() ?? { text: 'Nothing more to say.' });
      });
    });
  }

  static async start(answers: Answer[]): Promise<ModelServer> {
    const s = new ModelServer(answers);
    await new Promise<void>((resolve) => s.server.listen(0, '127.0.0.1', resolve));
    return s;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(
    response: ServerResponse,
    { thought = '', text = '', calls = [], hold, until }: Answer,
  ): Promise<void> {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (delta: unknown, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 0,
          model: 'test-model',
          choices: [{ index: 0, delta, finish_reason: finish }],
        })}\n\n`,
      );
    const words = text.match(/\S+\s*/g) ?? [];
    send({ role: 'assistant', content: '' });
    for (const word of thought.match(/\S+\s*/g) ?? []) send({ reasoning_content: word });
    for (const word of words.slice(0, hold ?? words.length)) send({ content: word });
    if (hold !== undefined) return; // the stream stays open, as a slow model's does
    await until;
    calls.forEach((call, index) => {
      const args = JSON.stringify(call.args);
      send({
        tool_calls: [
          {
            index,
            id: `call_${this.requests.length}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: '' },
          },
        ],
      });
      for (let i = 0; i < args.length; i += 7)
        send({ tool_calls: [{ index, function: { arguments: args.slice(i, i + 7) } }] });
    });
    send({}, calls.length > 0 ? 'tool_calls' : 'stop');
    response.write(
      `data: ${JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 0,
        model: 'test-model',
        choices: [],
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      })}\n\n`,
    );
    response.end('data: [DONE]\n\n');
  }
}
