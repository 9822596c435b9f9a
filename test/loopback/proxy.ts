import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { KeyedCertificate } from './certificate.js';

/** Ports that exchanges serve TLS on. */
const TLS_PORTS = new Set([443, 8443, 9443]);

/** One CONNECT request that the proxy refused: the client dialled a host that no test serves. */
export interface RefusedDial {
  readonly authority: string;
}

interface ProxyOptions {
  /** Valid for all served host names. */
  readonly identity: KeyedCertificate;
  /** Local plain-text port of each served host name. */
  readonly hosts: ReadonlyMap<string, number>;
}

/**
 * A CONNECT proxy that serves real host names from loopback servers:
 *
 *     client ── CONNECT api.binance.com:443 ─▶ proxy ── TLS ends here ─▶ 127.0.0.1:port of that host
 *
 * It refuses every other host and remembers it. A test asserts that `refused` is empty.
 */
export class ConnectProxy {
  readonly refused: RefusedDial[] = [];
  /** Host names that clients reached, with the number of connections. */
  readonly dialled = new Map<string, number>();
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #options: ProxyOptions;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      // A plain-text request to the proxy has no TLS, so it is no way to any exchange.
      this.refused.push({ authority: request.url ?? '' });
      response.writeHead(403).end();
    });
    this.#server.on('connect', (request, client, head) => this.#connect(request.url ?? '', client, head));
  }

  static async start(options: ProxyOptions): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(options);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Destroys all connections through the proxy, as a network failure does. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #connect(authority: string, client: Duplex, head: Buffer): void {
    const [host = '', port = ''] = authority.split(':');
    const local = this.#options.hosts.get(host);
    if (local === undefined || !TLS_PORTS.has(Number(port))) {
      this.refused.push({ authority });
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    this.dialled.set(host, (this.dialled.get(host) ?? 0) + 1);
    this.#track(client);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) client.unshift(head);
    const { certificate: cert, privateKey: key } = this.#options.identity;
    const secure = new TLSSocket(client, {
      isServer: true,
      secureContext: createSecureContext({ cert, key }),
      ALPNProtocols: ['http/1.1'],
    });
    const upstream = connect(local, '127.0.0.1');
    this.#track(secure);
    this.#track(upstream);
    joinStreams(secure, upstream);
    client.on('close', () => upstream.destroy());
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // The other end is closed below; a reset needs no other handling.
    socket.on('error', () => socket.destroy());
  }
}

function joinStreams(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  one.on('close', () => other.destroy());
  other.on('close', () => one.destroy());
}
