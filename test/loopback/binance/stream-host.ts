import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HostProtocol } from '../http-server.js';
import type { SocketServer } from '../socket-server.js';
import type { SocketApi } from './socket-api.js';
import type { StreamHub } from './stream-hub.js';

/** A host that serves sockets only. */
function socketHost(upgrade: NonNullable<HostProtocol['upgrade']>): HostProtocol {
  const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
  return { handle: () => page, failure: () => page, upgrade };
}

function refuse(socket: Duplex): void {
  socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

/** A host of the socket API on one path. */
export function apiHost(api: SocketApi, sockets: SocketServer, path: string): HostProtocol {
  return socketHost((request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    if (pathname !== path) return refuse(socket);
    sockets.accept(request, { socket, head }, (session) => api.open(session));
  });
}

const PATH = /^(?:\/(public|market|private))?\/(ws|stream)(?:\/(.+))?$/;

interface StreamHostOptions {
  /** True when the host has the parts `/public`, `/market` and `/private`, and no other path. */
  readonly isRouted: boolean;
}

/** A host of streams: `/ws/<name>`, `/stream?streams=<name>/<name>`, `/private/ws?listenKey=<key>`. */
export function streamHost(hub: StreamHub, sockets: SocketServer, { isRouted }: StreamHostOptions): HostProtocol {
  return socketHost((request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = new URL(request.url ?? '/', 'http://host');
    const match = PATH.exec(url.pathname);
    const route = match?.[1] ?? null;
    if (match === null || (route !== null) !== isRouted) return refuse(socket);
    const [, , kind, tail = ''] = match;
    const lists = [tail, url.searchParams.get('streams') ?? '', url.searchParams.get('listenKey') ?? ''];
    const names = lists.flatMap((list) => list.split('/')).filter((name) => name !== '');
    sockets.accept(request, { socket, head }, (session) => {
      hub.open(session, { names, isCombined: kind === 'stream', route });
    });
  });
}
