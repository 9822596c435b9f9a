import { SUBSCRIBE_WAIT_MS_MAX } from '../../../domain/limits/live.js';
import { parseExactJson } from '../json/exact-json.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { type ReportFinding, unreadable } from '../normal/message.js';
import { type BybitRecord, readBybitAccountFrame } from '../normal/bybit-account.js';
import { type BybitKey, bybitLogin } from '../transport/bybit-signature.js';
import type { SocketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';

export interface PrivateStreamParts {
  readonly key: BybitKey;
  /** `wss://` and a host, without a path. */
  readonly address: string;
  readonly dial: SocketDial;
  /** Time of the exchange in whole milliseconds. */
  readonly exchangeMs: () => number;
  readonly onRecords: (records: readonly BybitRecord[]) => void;
  /** All topics are subscribed. What happened before is unknown. */
  readonly onSubscribed: () => void;
  readonly onCut: () => void;
  /** The exchange refuses the login. */
  readonly onRefused: () => void;
  readonly onFinding: ReportFinding;
}

const PATH = '/v5/private';
const TOPICS = ['order', 'execution', 'wallet', 'position'];
/** How long the signature of a login holds. */
export const LOGIN_MS = 10_000;
/** The exchange ends a connection without an operation for 10 minutes, and asks for one every 20 s. */
export const OPERATION_PING_MS = 20_000;

/**
 * The private stream of one account: orders, executions, balances and positions of all products. The connection is
 * opened again after each end.
 */
export class BybitPrivateStream {
  readonly #parts: PrivateStreamParts;
  readonly #socket: LiveSocket;
  readonly #pings: NodeJS.Timeout;
  #confirmation: NodeJS.Timeout | undefined;
  #isSubscribed = false;

  constructor(parts: PrivateStreamParts) {
    this.#parts = parts;
    this.#socket = new LiveSocket({
      ...parts.dial,
      url: () => `${parts.address}${PATH}`,
      onOpen: () => this.#login(),
      onText: (text) => this.#receive(text),
      onCut: () => this.#ended(),
    });
    this.#pings = setInterval(() => this.#socket.send(JSON.stringify({ op: 'ping' })), OPERATION_PING_MS);
  }

  close(): void {
    clearInterval(this.#pings);
    clearTimeout(this.#confirmation);
    this.#isSubscribed = false;
    this.#socket.close();
  }

  #login(): void {
    const { key, exchangeMs } = this.#parts;
    const args = bybitLogin(key, exchangeMs() + LOGIN_MS);
    this.#socket.send(JSON.stringify({ op: 'auth', args }));
    this.#confirmation = setTimeout(() => this.#socket.reopen(), SUBSCRIBE_WAIT_MS_MAX);
  }

  #ended(): void {
    clearTimeout(this.#confirmation);
    if (!this.#isSubscribed) return;
    this.#isSubscribed = false;
    this.#parts.onCut();
  }

  #receive(text: string): void {
    const { onFinding } = this.#parts;
    let frame: unknown;
    try {
      frame = parseExactJson(text);
    } catch {
      unreadable({ venue: 'BYBIT', type: 'frame', report: onFinding }, 'the frame is no JSON');
      // It may have been an update of an order. Only a new connection asks for what it has missed.
      return this.#socket.reopen();
    }
    if (memberOf(asObject(frame), 'op') !== undefined) return this.#answered(frame);
    const records = readBybitAccountFrame(frame, onFinding);
    if (records.length > 0) this.#parts.onRecords(records);
  }

  #answered(frame: unknown): void {
    const answer = asObject(frame);
    const op = memberOf(answer, 'op');
    if (op !== 'auth' && op !== 'subscribe') return;
    if (memberOf(answer, 'success') !== true) {
      // The text of a refused login may repeat the signed text. It is not shown.
      unreadable({ venue: 'BYBIT', type: op, report: this.#parts.onFinding }, 'the exchange has refused it');
      if (op === 'auth') this.#parts.onRefused();
      return this.#socket.reopen();
    }
    if (op === 'auth') {
      this.#socket.send(JSON.stringify({ op: 'subscribe', args: TOPICS }));
      return;
    }
    clearTimeout(this.#confirmation);
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    this.#parts.onSubscribed();
  }
}
