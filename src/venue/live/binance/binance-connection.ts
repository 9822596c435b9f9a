import type { Rejection } from '../../../domain/rejection.js';
import { refusalOfError } from '../dialect/binance-errors.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { ApiSocket } from '../transport/api-socket.js';
import type { BinanceKey } from '../transport/binance-signature.js';
import type { ConnectionEvents } from '../transport/renewed-connection.js';
import type { SocketDial } from '../transport/socket-dial.js';
import type { BinanceBudget, BinanceRequests } from './binance-requests.js';
import { BinanceSocketRequests } from './binance-socket-requests.js';

interface ConnectionParts {
  readonly dial: SocketDial;
  readonly url: () => Promise<string>;
  readonly key: BinanceKey;
  readonly budget: BinanceBudget;
  /** REST: for calls that the socket does not have, and while it is not open. */
  readonly requests: Pick<BinanceRequests, 'send'>;
  /** Time of the exchange. */
  readonly timestampMs: () => number;
  /** True at spot: the private stream comes on this socket too. */
  readonly hasStream: boolean;
  readonly events: ConnectionEvents;
  readonly onFrame: (frame: unknown, connection: BinanceConnection) => void;
  readonly onUnreadable: () => void;
  /** The exchange refuses the private stream; null: it does not say why. */
  readonly onRefused: (message: string, rejection: Rejection | null) => void;
}

const OK = 200;

/** One socket of an account for orders, and at spot for the private stream. It is opened again after each cut. */
export class BinanceConnection {
  readonly requests: BinanceSocketRequests;
  readonly #parts: ConnectionParts;
  readonly #socket: ApiSocket;
  #opening = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { dial, url, onFrame, onUnreadable } = parts;
    this.requests = new BinanceSocketRequests({ ...parts, socket: () => this.#socket });
    this.#socket = new ApiSocket({
      ...dial,
      idMember: 'id',
      url,
      onOpen: () => void this.#opened(),
      onFrame: (frame) => onFrame(frame, this),
      onUnreadable,
      onCut: () => this.#cut(),
    });
  }

  reopen(): void {
    this.#socket.reopen();
  }

  close(): void {
    this.#socket.close();
  }

  async #opened(): Promise<void> {
    this.#opening += 1;
    const opening = this.#opening;
    const { hasStream, events, onRefused } = this.#parts;
    await this.requests.opened();
    if (opening !== this.#opening) return;
    if (!hasStream) return events.onReady();
    const { isLoggedOn } = this.requests;
    const method = isLoggedOn ? 'userDataStream.subscribe' : 'userDataStream.subscribe.signature';
    const answer = await this.requests.ask(method, {}, !isLoggedOn);
    if (opening !== this.#opening) return;
    const status = memberOf(answer, 'status');
    if (status === OK) return events.onReady();
    const code = memberOf(asObject(memberOf(answer, 'error')), 'code');
    const isStated = typeof code === 'number' && typeof status === 'number';
    const message = 'the private stream is refused';
    onRefused(
      `the private stream was refused with ${typeof code === 'number' ? code : 'no code'}`,
      isStated ? refusalOfError({ status, code, message, retryAfterMs: null }) : null,
    );
    this.#socket.reopen();
  }

  #cut(): void {
    this.#opening += 1;
    this.requests.closed();
    this.#parts.events.onCut();
  }
}
