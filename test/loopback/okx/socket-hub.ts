import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FaultScript } from '../faults.js';
import type { HostProtocol } from '../http-server.js';
import { serveRequest } from '../request-service.js';
import { SocketServer } from '../socket-server.js';
import { faultError, OkxError } from './api-error.js';
import type { RestApi } from './endpoint.js';
import { isPrivateChannel, privateSnapshot, publishPrivate } from './private-channels.js';
import { PublicChannels } from './public-channels.js';
import { RequestFields } from './request-fields.js';
import { logOn, requirePermission } from './signing.js';
import { type ChannelArg, OkxSession, type SocketKind } from './socket-session.js';
import type { TradingAccounts } from './trading-account.js';
import { type Outcome, tradeAnswer, type TradeRequests } from './trade-requests.js';

const PATH = /^\/ws\/v5\/(public|private|business)$/;
/** A connection without a message in either direction ends. */
const IDLE_MS = 30_000;
const NEVER_MS = 2 ** 31 - 1;
const SUBSCRIPTIONS_MAX = 480;

/** A request on a socket, as it was parsed. */
interface SocketRequest {
  readonly op?: unknown;
  readonly id?: unknown;
  readonly args?: unknown;
  readonly expTime?: unknown;
}

interface SocketHubParts {
  readonly trading: TradingAccounts;
  readonly requests: TradeRequests;
  readonly faults: FaultScript;
  readonly limits: RestApi['limits'];
  readonly idleMs?: number;
}

/** The sockets of the exchange: public, private and business. Pings are the text `ping`, answered by `pong`. */
export class SocketHub {
  readonly sessions = new Set<OkxSession>();
  /** Numbers of instruments that requests on sockets may not name, as seen in demo trading. */
  readonly unknownCodes = new Set<number>();
  readonly #parts: SocketHubParts;
  readonly #sockets: SocketServer;
  readonly #channels: PublicChannels;
  readonly #timer: NodeJS.Timeout;
  #connections = 0;

  constructor(parts: SocketHubParts) {
    this.#parts = parts;
    // The exchange sends no pings of the protocol of WebSockets.
    this.#sockets = new SocketServer({ faults: parts.faults, pingEveryMs: NEVER_MS, unansweredPingsMax: 1 });
    this.#channels = new PublicChannels(parts.trading, this.sessions);
    for (const exchange of [parts.trading.spot, parts.trading.swap]) {
      exchange.listen((events) => publishPrivate(parts.trading, this.sessions, events));
    }
    const { idleMs = IDLE_MS } = parts;
    this.#timer = setInterval(
      () => {
        for (const session of this.sessions) if (Date.now() - session.activeAtMs > idleMs) session.socket.cut();
      },
      Math.min(1_000, idleMs),
    ).unref();
  }

  get protocol(): HostProtocol {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
    return {
      handle: () => page,
      failure: () => page,
      upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const match = PATH.exec(new URL(request.url ?? '/', 'http://host').pathname);
        if (match === null) {
          socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
          return;
        }
        this.#sockets.accept(request, { socket, head }, (accepted) => {
          this.#connections += 1;
          const connId = this.#connections.toString(16).padStart(8, '0');
          const session = new OkxSession(accepted, match[1] as SocketKind, connId);
          this.sessions.add(session);
          accepted.onClose(() => this.sessions.delete(session));
          accepted.onMessage((text) => this.#receive(session, text));
        });
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#channels.close();
    this.#sockets.close();
  }

  #receive(session: OkxSession, text: string): void {
    session.activeAtMs = Date.now();
    if (text === 'ping') return session.socket.write('pong');
    let request: SocketRequest;
    try {
      request = JSON.parse(text) as SocketRequest;
    } catch {
      return this.#fail(session, new OkxError('60012', text.slice(0, 200)));
    }
    const { op } = request;
    const args = (Array.isArray(request.args) ? request.args : []) as readonly Record<string, unknown>[];
    switch (op) {
      case 'login':
        return void this.#serve(session, op, () => this.#logOn(session, new RequestFields(args[0] ?? {})));
      case 'subscribe':
      case 'unsubscribe':
        return void this.#serve(session, op, () => {
          for (const arg of args) this.#subscribe(session, arg as ChannelArg, op === 'subscribe', request.id);
        });
      case 'order':
      case 'batch-orders':
      case 'cancel-order':
      case 'batch-cancel-orders':
      case 'amend-order':
      case 'batch-amend-orders':
        return void this.#trade(session, op, { request, orders: args.map((arg) => new RequestFields(arg)) });
      default:
        // In its turn: the operations before it are answered first.
        return void this.#serve(session, 'unknown', () =>
          this.#fail(session, new OkxError('60012', text.slice(0, 200))),
        );
    }
  }

  /** Carries out a request about the connection itself; one without an answer is not carried out. */
  async #serve(session: OkxSession, op: string, carryOut: () => void): Promise<void> {
    await serveRequest(this.#parts.faults, {
      name: `okx ${session.kind} ${op}`,
      execute: () => carryOut,
      failure: (fault) => () => {
        this.#fail(session, fault.kind === 'maintenance' ? new OkxError('50001') : faultError(fault));
      },
      send: (answer) => answer(),
      cut: () => session.socket.cut(),
    });
  }

  #logOn(session: OkxSession, fields: RequestFields): void {
    const { trading } = this.#parts;
    try {
      const { address } = session.socket;
      session.identity = logOn(trading.accounts, fields, { address, nowMs: trading.clock.nowMs() });
      session.answer({ event: 'login', code: '0', msg: '', connId: session.connId });
    } catch (error) {
      this.#fail(session, error);
    }
  }

  #subscribe(session: OkxSession, arg: ChannelArg, isAdded: boolean, id: unknown): void {
    const key = keyOf(arg);
    const head = typeof id === 'string' ? { id } : {};
    try {
      const isPrivate = isPrivateChannel(arg) && session.kind === 'private';
      if (isPrivate && session.identity === null) throw new OkxError('60011');
      const isOffered = isPrivate || this.#channels.offers(session.kind, arg);
      if (!isOffered) throw new OkxError('60018', `channel:${arg['channel']},instId:${arg['instId']}`);
      if (session.subscriptions.size >= SUBSCRIPTIONS_MAX) throw new OkxError('60014');
      session.answer({ ...head, event: isAdded ? 'subscribe' : 'unsubscribe', arg, connId: session.connId });
      if (!isAdded) return void session.subscriptions.delete(key);
      const subscription = { arg, seqId: null };
      session.subscriptions.set(key, subscription);
      if (!isPrivate) return this.#channels.snapshot(session, subscription);
      const connCount = String([...this.sessions].filter((other) => other.subscriptions.has(key)).length);
      session.answer({ event: 'channel-conn-count', channel: arg['channel'], connCount, connId: session.connId });
      privateSnapshot(this.#parts.trading, session, subscription);
    } catch (error) {
      this.#fail(session, error);
    }
  }

  async #trade(
    session: OkxSession,
    op: string,
    { request, orders }: { request: SocketRequest; orders: readonly RequestFields[] },
  ): Promise<void> {
    const head = { id: typeof request.id === 'string' ? request.id : '', op };
    await serveRequest<object>(this.#parts.faults, {
      name: `okx ${op}`,
      execute: () => ({ ...head, ...this.#carryOut(session, op, { request, orders }), ...times() }),
      failure: (fault) => {
        const { code, message } = faultError(
          fault.kind === 'maintenance' ? { ...fault, kind: 'limit', status: 429, retryAfterSeconds: 1 } : fault,
        );
        return { ...head, code, msg: message, data: [], ...times() };
      },
      send: (answer) => session.answer(answer),
      cut: () => session.socket.cut(),
    });
  }

  #carryOut(
    session: OkxSession,
    op: string,
    { request, orders }: { request: SocketRequest; orders: readonly RequestFields[] },
  ): object {
    const { requests, trading, limits } = this.#parts;
    try {
      const identity = session.identity;
      if (identity === null || session.kind !== 'private') throw new OkxError('60011');
      requirePermission(identity.key, 'TRADE');
      const nowMs = trading.clock.nowMs();
      if (typeof request.expTime === 'string' && Number(request.expTime) < nowMs) throw new OkxError('50036');
      if (!op.includes('cancel')) for (const _ of orders) limits.countOrder(identity.account.id, nowMs);
      const run = (fields: RequestFields): Outcome => {
        const instIdCode = fields.integer('instIdCode');
        if (instIdCode === null) return refusedInstrument(fields, new OkxError('50014', 'instIdCode'), nowMs);
        if (this.unknownCodes.has(instIdCode)) return refusedInstrument(fields, new OkxError('51001'), nowMs);
        if (op.includes('cancel')) return requests.cancel(identity.account, fields);
        if (op.includes('amend')) return requests.amend(identity.account, fields);
        return requests.place(identity.account, fields);
      };
      return tradeAnswer(requests.batch(orders, run));
    } catch (error) {
      if (!(error instanceof OkxError)) throw error;
      return { code: error.code, msg: error.message, data: [] };
    }
  }

  #fail(session: OkxSession, error: unknown): void {
    if (!(error instanceof OkxError)) throw error;
    session.answer({ event: 'error', code: error.code, msg: error.message, connId: session.connId });
  }
}

/** Names a subscription once, whatever the sequence of its members. */
function keyOf(arg: ChannelArg): string {
  const names = Object.keys(arg).toSorted((one, other) => (one < other ? -1 : 1));
  return names.map((name) => `${name}=${arg[name]}`).join('&');
}

/** Requests on sockets name an instrument by its number alone. */
function refusedInstrument(fields: RequestFields, { code, message }: OkxError, nowMs: number): Outcome {
  const clOrdId = fields.optional('clOrdId') ?? '';
  return { clOrdId, ordId: '', ts: String(nowMs), sCode: code, sMsg: message };
}

/** Arrival and departure at the exchange's gateway, in microseconds. */
function times(): { readonly inTime: string; readonly outTime: string } {
  const now = `${Date.now()}000`;
  return { inTime: now, outTime: now };
}
