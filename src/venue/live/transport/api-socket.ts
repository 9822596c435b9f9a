import { EXCHANGE_ANSWER_MS_MAX } from '../../../domain/limits/live.js';
import { parseExactJson } from '../json/exact-json.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { LiveSocket, type LiveSocketOptions } from './live-socket.js';

/** An answer on a socket with the id of its request. */
export type SocketAnswer = Readonly<Record<string, unknown>>;

export interface ApiSocketOptions extends Omit<LiveSocketOptions, 'onText'> {
  /** The member of an answer that has the id of its request. */
  readonly idMember: 'id' | 'reqId';
  /** A frame that answers no request. */
  readonly onFrame: (frame: unknown) => void;
  /** A frame is no JSON. The connection is cut and opened again. */
  readonly onUnreadable: () => void;
  /** A message to keep the connection, and its interval. An answer of this text or without an id is a frame. */
  readonly ping?: { readonly text: string; readonly pong: string | null; readonly everyMs: number };
}

interface OpenRequest {
  readonly settle: (answer: SocketAnswer | null) => void;
  readonly timer: NodeJS.Timeout;
}

const IDS_PER_MS = 1_000;

/** Requests and their answers by id on one socket. A request has one answer, or null: none has come. */
export class ApiSocket {
  readonly #socket: LiveSocket;
  readonly #options: ApiSocketOptions;
  readonly #open = new Map<string, OpenRequest>();
  readonly #pings: NodeJS.Timeout | undefined;
  /** Ids begin at the time: an exchange may remember those of an earlier connection or process. */
  #lastId: number;

  constructor(options: ApiSocketOptions) {
    this.#options = options;
    this.#lastId = Math.floor(options.nowMs()) * IDS_PER_MS;
    this.#socket = new LiveSocket({
      ...options,
      onText: (text) => this.#receive(text),
      onCut: () => {
        this.#settleAll();
        options.onCut();
      },
    });
    const { ping } = options;
    if (ping !== undefined) this.#pings = setInterval(() => this.#socket.send(ping.text), ping.everyMs);
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /**
   * Sends the text that `write` makes for an id, once. null: no answer has come within EXCHANGE_ANSWER_MS_MAX, or the
   * connection has ended. Throws when `write` throws: nothing has left then.
   */
  request(write: (id: string) => string): Promise<SocketAnswer | null> {
    this.#lastId += 1;
    const id = String(this.#lastId);
    const text = write(id);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(id, null), EXCHANGE_ANSWER_MS_MAX);
      this.#open.set(id, { settle: resolve, timer });
      if (!this.#socket.send(text)) this.#settle(id, null);
    });
  }

  /** Sends a message that is no request. */
  send(text: string): void {
    this.#socket.send(text);
  }

  reopen(): void {
    this.#socket.reopen();
  }

  close(): void {
    clearInterval(this.#pings);
    this.#socket.close();
    this.#settleAll();
  }

  #receive(text: string): void {
    const { idMember, ping, onFrame, onUnreadable } = this.#options;
    if (text === ping?.pong) return;
    let frame: unknown;
    try {
      frame = parseExactJson(text);
    } catch {
      onUnreadable();
      // It may have been an update of an order. Only a new connection asks for what it has missed.
      return this.reopen();
    }
    const answer = asObject(frame);
    const id = memberOf(answer, idMember);
    if (answer !== null && typeof id === 'string' && this.#open.has(id)) this.#settle(id, answer);
    // An answer after its time limit has no reader.
    else if (id === undefined) onFrame(frame);
  }

  /** The outcome of the open requests is unknown: the exchange may have carried them out. */
  #settleAll(): void {
    for (const id of this.#open.keys()) this.#settle(id, null);
  }

  #settle(id: string, answer: SocketAnswer | null): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    clearTimeout(request.timer);
    request.settle(answer);
  }
}
