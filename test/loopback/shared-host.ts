import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** One host name that serves requests from one local port and sockets from another: some test environments do that. */
export class SharedHost {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(requestsPort: number, socketsPort: number): Promise<SharedHost> {
    const server = createServer((incoming, response) => {
      const { method, url: path, headers } = incoming;
      const outgoing = request({ host: '127.0.0.1', port: requestsPort, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      incoming.pipe(outgoing);
    });
    server.on('upgrade', (incoming, socket, head) => {
      const upstream = connect(socketsPort, '127.0.0.1', () => {
        const lines = incoming.rawHeaders.map((text, place) => (place % 2 === 0 ? `${text}: ` : `${text}\r\n`));
        upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      for (const [one, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new SharedHost(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
