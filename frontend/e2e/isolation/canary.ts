import { createSocket, type Socket } from 'node:dgram';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Records every connection with its first line, and every datagram. */
export class Canary {
  /** The open panel, to which contacts are attributed. */
  panel = '';
  readonly contacts: { panel: string; what: string }[] = [];

  private constructor(
    private readonly tcp: Server,
    private readonly udp: Socket,
    /** A backend that never answers; its connections are not recorded. */
    private readonly slow: Server,
  ) {}

  static async start(): Promise<Canary> {
    const canary = new Canary(createServer(), createSocket('udp4'), createServer());
    canary.tcp.on('connection', (socket) => {
      const contact = { panel: canary.panel, what: 'a connection' };
      canary.contacts.push(contact);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        // Only the first data counts: after our answer a TLS client sends an alert.
        if (contact.what === 'a connection') contact.what = data.toString('latin1').split('\r\n')[0]!;
        const type = /\.m?js|module|mapped/.test(contact.what) ? 'text/javascript' : 'text/html';
        socket.end(
          `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nAccess-Control-Allow-Origin: *\r\n` +
            'Connection: close\r\nContent-Length: 2\r\n\r\n//',
        );
      });
    });
    canary.udp.on('message', () => canary.contacts.push({ panel: canary.panel, what: 'a datagram' }));
    await Promise.all([
      new Promise<void>((done) => canary.tcp.listen(0, '127.0.0.1', done)),
      new Promise<void>((done) => canary.slow.listen(0, '127.0.0.1', done)),
      new Promise<void>((done) => canary.udp.bind(0, '127.0.0.1', done)),
    ]);
    return canary;
  }

  get port(): number {
    return (this.tcp.address() as AddressInfo).port;
  }

  get udpPort(): number {
    return this.udp.address().port;
  }

  get slowURL(): string {
    return `http://127.0.0.1:${(this.slow.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.tcp.close();
    this.slow.close();
    this.udp.close();
  }
}
