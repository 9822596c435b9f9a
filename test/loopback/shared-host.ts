import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** The local port that serves a path, for a request or for a socket; null: no host has it. */
export type HostRoute = (path: string, isSocket: boolean) => number | null;

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** One address that serves what several local ports serve: some test environments have one host for all. */
export class SharedHost {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on the port; 0: on a free one. */
  static async start(route: HostRoute, port = 0): Promise<SharedHost> {
    const server = createServer((incoming, response) => {
      const { method, url: path = '/', headers } = incoming;
      const target = route(path, false);
      if (target === null) return void response.writeHead(404).end();
      // A connection that is kept may end below the next request.
      const outgoing = request({ host: '127.0.0.1', port: target, method, path, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      response.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
    server.on('upgrade', (incoming, socket, head) => {
      const target = route(incoming.url ?? '/', true);
      if (target === null) return void socket.end(NOT_FOUND);
      const upstream = connect(target, '127.0.0.1', () => {
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
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
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

/** A host whose requests and sockets are served by one port each. */
export function requestsAndSockets(requests: number, sockets: number): HostRoute {
  return (_path, isSocket) => (isSocket ? sockets : requests);
}
