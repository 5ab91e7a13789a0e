import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic, chat, writeCall, type Answer, type Written } from './model-wire';

/** The body of a request to the server. */
export interface Request {
  model: string;
  messages: { role: string; content: unknown; tool_call_id?: string }[];
  tools?: { name?: string; function?: { name: string } }[];
}

/** An answer, or a function that makes one for a request. */
export type Script = Answer | ((asked: Request) => Answer);

/**
 * A local server for OpenAI's chat completions and Anthropic's messages. It plays scripted answers in order. The
 * program's test of how a model writes tool calls, and its request for a title, are answered apart from the script. With `written`, the model has no
 * native tool calls and writes them into its text.
 */
export class ModelServer {
  readonly requests: Request[] = [];
  models = ['test-model'];
  /** The answer to a request for the title of a conversation. */
  title = '';
  private readonly script: Script[];
  private readonly server: Server;

  private constructor(
    script: Script[],
    private readonly written?: Written,
  ) {
    this.script = [...script];
    this.server = createServer((request, response) => {
      if (request.url?.endsWith('/models')) {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data: this.models.map((id) => ({ id, object: 'model' })) }));
        return;
      }
      if (request.method !== 'POST') {
        response.writeHead(404).end();
        return;
      }
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        const wire = request.url?.endsWith('/messages') ? anthropic : chat;
        void wire(response, this.answer(JSON.parse(body) as Request), this.requests.length);
      });
    });
  }

  static async start(script: Script[], written?: Written): Promise<ModelServer> {
    const s = new ModelServer(script, written);
    await new Promise<void>((resolve) => s.server.listen(0, '127.0.0.1', resolve));
    return s;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The environment that makes the program use this server as its model. */
  get env(): Record<string, string> {
    return { SEXTANT_OPENAI_BASE_URL: this.url, SEXTANT_OPENAI_API_KEY: 'k', SEXTANT_MODEL: 'openai/test-model' };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(asked: Request): Answer {
    if (JSON.stringify(asked).includes('Call the tool say_word with the word')) {
      return this.withCalls({ calls: [{ name: 'say_word', args: { word: 'saffron' } }] });
    }
    if (JSON.stringify(asked).includes('You name conversations.')) return { text: this.title };
    this.requests.push(asked);
    const next = this.script.shift() ?? { text: 'Nothing more to say.' };
    return this.withCalls(typeof next === 'function' ? next(asked) : next);
  }

  /** Returns the answer with its calls written the way this server's model writes them. */
  private withCalls(answer: Answer): Answer {
    const kind = this.written;
    if (!kind || !answer.calls) return answer;
    const calls = answer.calls.map((call) => writeCall(kind, call)).join('');
    return { ...answer, text: (answer.text ?? '') + calls, calls: [] };
  }
}
