import { Socket } from 'node:net';

/**
 * Permits connections of this process to the proxy only. A client that dials anything else, a name server included,
 * ends the process with this exit status.
 */
export const FOREIGN_DIAL_STATUS = 97;

const proxyPort = new URL(process.env['LOOPBACK_PROXY'] ?? 'http://127.0.0.1:0').port;

interface Dial {
  readonly host?: string;
  readonly port?: number | string;
  readonly path?: string;
}

/** The destination of `connect(options)`, `connect(port, host)` and the arrays that Node makes of them. */
function dialOf(parameters: readonly unknown[]): Dial {
  const [first, second] = Array.isArray(parameters[0]) ? (parameters[0] as unknown[]) : parameters;
  if (typeof first === 'object' && first !== null) return first;
  const host = typeof second === 'string' ? { host: second } : {};
  return { port: first as number, ...host };
}

const connect = Socket.prototype.connect as (...parameters: unknown[]) => Socket;
Socket.prototype.connect = function guarded(this: Socket, ...parameters: unknown[]): Socket {
  const { host = 'localhost', port, path } = dialOf(parameters);
  const isProxy = host === '127.0.0.1' && String(port) === proxyPort;
  // A pipe of the process itself has a path and no port.
  if (!isProxy && path === undefined && port !== undefined) {
    process.stderr.write(`dialled ${host}:${String(port)} without the proxy\n`);
    process.exit(FOREIGN_DIAL_STATUS);
  }
  return connect.apply(this, parameters);
};
