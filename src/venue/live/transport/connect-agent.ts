import { request as requestPlain } from 'node:http';
import { Agent, request as requestSecure, type RequestOptions } from 'node:https';
import { type Duplex, PassThrough } from 'node:stream';
import { connect } from 'node:tls';
import { SOCKET_OPEN_MS_MAX } from '../../../domain/limits/live.js';
import { proxyCredentials, proxyRefusal } from './proxy-credentials.js';

const STATUS_OK = 200;
/** Stands in for the connection in a call with an error. */
const NO_STREAM = new PassThrough();

/** Dials TLS hosts through a CONNECT proxy: for sockets. */
export class ConnectAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: string) {
    super();
    this.#proxy = new URL(proxy);
  }

  /** Calls `done` later: the connection has to be made first. */
  override createConnection(options: RequestOptions, done: (error: Error | null, stream: Duplex) => void): null {
    const { host, port } = options;
    const { protocol, hostname, port: proxyPort } = this.#proxy;
    const target = `${host}:${port}`;
    const authorization = proxyCredentials(this.#proxy);
    const dial = (protocol === 'https:' ? requestSecure : requestPlain)({
      host: hostname,
      // An empty text is the usual port of the protocol.
      port: proxyPort,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(authorization !== null && { 'proxy-authorization': authorization }) },
    });
    // A request without a connection has no time limit of its own.
    const limit = setTimeout(
      () => dial.destroy(new Error(`the proxy has not connected to ${target} within ${SOCKET_OPEN_MS_MAX} ms`)),
      SOCKET_OPEN_MS_MAX,
    );
    dial.once('connect', ({ statusCode }, socket) => {
      clearTimeout(limit);
      if (statusCode === STATUS_OK) return done(null, connect({ socket, servername: host ?? '' }));
      socket.destroy();
      return done(new Error(proxyRefusal(statusCode)), socket);
    });
    dial.once('error', (error) => {
      clearTimeout(limit);
      done(error, NO_STREAM);
    });
    dial.end();
    return null;
  }
}
