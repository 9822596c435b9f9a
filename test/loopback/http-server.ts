import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FaultScript, View } from './faults.js';
import { type ProtocolFault, serveRequest } from './request-service.js';

const BODY_BYTES_MAX = 256 * 1024;

/** One request as it came in: nothing is decoded, because signatures cover the raw texts. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a protocol does on one host. */
export interface HostProtocol {
  readonly handle: (request: HttpRequest, view: View) => HttpAnswer;
  readonly failure: (fault: ProtocolFault, path: string) => HttpAnswer;
  /** Accepts or refuses a WebSocket. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** One host of an exchange on a loopback port. */
class HostServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(protocol: HostProtocol, faults: FaultScript) {
    this.#server = createServer((request, response) => {
      void serve(request, response, { protocol, faults });
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    const { upgrade } = protocol;
    if (upgrade !== undefined) this.#server.on('upgrade', upgrade);
  }

  static async start(protocol: HostProtocol, faults: FaultScript, port = 0): Promise<HostServer> {
    const host = new HostServer(protocol, faults);
    await new Promise<void>((resolve, reject) => {
      host.#server.once('error', reject);
      host.#server.listen(port, '127.0.0.1', resolve);
    });
    return host;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Destroys all connections, sockets of streams included. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

/** The hosts of an exchange, each on a loopback port. */
export abstract class LoopbackHosts {
  readonly #servers = new Map<string, HostServer>();

  /** `port`: of the first host; the others have the following ones. 0: free ports. */
  protected async listen(hosts: Readonly<Record<string, HostProtocol>>, faults: FaultScript, port = 0): Promise<void> {
    for (const [index, [host, protocol]] of Object.entries(hosts).entries()) {
      this.#servers.set(host, await HostServer.start(protocol, faults, port === 0 ? 0 : port + index));
    }
  }

  /** Local port of each host name. */
  get ports(): ReadonlyMap<string, number> {
    return new Map([...this.#servers].map(([host, server]) => [host, server.port]));
  }

  /** An address without the proxy: `http://127.0.0.1:<port>` or `ws://127.0.0.1:<port>`. */
  address(host: string, scheme: 'http' | 'ws' = 'http'): string {
    return `${scheme}://127.0.0.1:${this.ports.get(host)}`;
  }

  /** Ends every connection of one host name, or of all. */
  cut(host?: string): void {
    for (const [name, server] of this.#servers) if (host === undefined || host === name) server.cutAll();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { protocol, faults }: { protocol: HostProtocol; faults: FaultScript },
): Promise<void> {
  const body = await bodyOf(request);
  if (body === null) {
    response.writeHead(413).end();
    return;
  }
  const { method = 'GET', url = '/', headers } = request;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const address = request.socket.remoteAddress ?? '';
  await serveRequest(faults, {
    name: `${method} ${path}`,
    execute: (view) => protocol.handle({ method, path, query, body, headers, address }, view),
    failure: (fault) => protocol.failure(fault, path),
    // HTTP has one answer for a request: a duplicate cannot be sent.
    send: (answer) => {
      if (response.writableEnded || response.destroyed) return;
      response.writeHead(answer.status, { 'content-type': 'application/json;charset=UTF-8', ...answer.headers });
      response.end(answer.body);
    },
    cut: () => request.socket.destroy(),
  });
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > BODY_BYTES_MAX) return null;
      chunks.push(chunk as Buffer);
    }
  } catch {
    // The client went away before the request was complete.
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}
