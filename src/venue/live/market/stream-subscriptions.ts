import {
  STREAM_MESSAGE_GAP_MS,
  STREAM_NAMES_PER_MESSAGE_MAX,
  STREAM_REFUSED_AGAIN_MS,
  STREAMS_PER_SOCKET_MAX,
  SUBSCRIBE_WAIT_MS_MAX,
} from '../../../domain/limits/live.js';

/** A message to one socket: subscribe to names, or unsubscribe from them. */
export interface StreamCommand {
  readonly id: number;
  readonly isSubscribe: boolean;
  readonly names: readonly string[];
}

interface UnansweredCommand extends StreamCommand {
  readonly sentAtMs: number;
  /** Confirmations that have not come yet. */
  missingCount: number;
  /** Names that no confirmation has named. */
  readonly unconfirmed: Set<string>;
}

/**
 * The streams of one socket: what is wanted, what was sent, what is confirmed. Bounds messages a second.
 *
 * An exchange may refuse a message for one of its names, such as a delisted market. The names of such a message are
 * sent again one by one. One that is refused alone waits for a while, and the socket stays open for the others.
 */
export class SocketStreams {
  readonly #wanted = new Set<string>();
  /** Names in a subscribe message on this connection; the value says whether it is confirmed. */
  readonly #sent = new Map<string, boolean>();
  readonly #unanswered = new Map<number, UnansweredCommand>();
  /** Wanted names that are unsubscribed first: their streams must begin again. */
  readonly #renewed = new Set<string>();
  /** Names of refused messages, each with the time from which it may be sent again, alone. They outlive a cut. */
  readonly #doubted = new Map<string, number>();
  /** When the exchange last refused a name without saying which one. */
  #refusedAtMs = -Infinity;
  readonly #namesPerMessageMax: number;
  readonly #confirmsEachName: boolean;
  #lastId = 0;
  #nextAtMs = 0;
  #isOpen = false;

  /**
   * `namesPerMessageMax`: an exchange may take fewer names in a message. `confirmsEachName`: not each message as a
   * whole.
   */
  constructor({
    namesPerMessageMax = STREAM_NAMES_PER_MESSAGE_MAX,
    confirmsEachName = false,
  }: { readonly namesPerMessageMax?: number | undefined; readonly confirmsEachName?: boolean } = {}) {
    this.#namesPerMessageMax = namesPerMessageMax;
    this.#confirmsEachName = confirmsEachName;
  }

  get count(): number {
    return this.#wanted.size;
  }

  get names(): Iterable<string> {
    return this.#wanted;
  }

  isConfirmed(name: string): boolean {
    return this.#sent.get(name) === true;
  }

  want(name: string): void {
    // Its stream goes on while its unsubscribe message waits: it would not send its present state again.
    if (!this.#wanted.has(name)) this.renew(name);
    this.#wanted.add(name);
  }

  unwant(name: string): void {
    this.#wanted.delete(name);
    this.#doubted.delete(name);
  }

  /** Lets a stream begin again. One that has not begun on this connection will begin anyway. */
  renew(name: string): void {
    if (this.#sent.has(name)) this.#renewed.add(name);
  }

  opened(nowMs: number): void {
    this.cut();
    this.#isOpen = true;
    this.#nextAtMs = nowMs;
  }

  cut(): void {
    this.#isOpen = false;
    this.#sent.clear();
    this.#renewed.clear();
    this.#unanswered.clear();
  }

  /** The next message that may be sent now; null: none. */
  take(nowMs: number): StreamCommand | null {
    this.#doubtSilent(nowMs);
    if (!this.#isOpen || nowMs < this.#nextAtMs) return null;
    const added = this.#added(nowMs);
    const isRemoved = (name: string): boolean => !this.#wanted.has(name) || this.#renewed.has(name);
    const removed = added.length > 0 ? [] : [...this.#sent.keys()].filter(isRemoved);
    const names = (added.length > 0 ? added : removed).slice(0, this.#namesPerMessageMax);
    if (names.length === 0) return null;
    this.#lastId += 1;
    const command = { id: this.#lastId, isSubscribe: added.length > 0, names };
    for (const name of names) {
      if (command.isSubscribe) this.#sent.set(name, false);
      else this.#sent.delete(name);
      this.#renewed.delete(name);
    }
    const missingCount = this.#confirmsEachName ? names.length : 1;
    this.#unanswered.set(command.id, { ...command, sentAtMs: nowMs, missingCount, unconfirmed: new Set(names) });
    this.#nextAtMs = nowMs + STREAM_MESSAGE_GAP_MS;
    return command;
  }

  /**
   * Takes a confirmation of a message. Returns the names that are subscribed by it: none before its last confirmation.
   */
  confirmed(id: number, name?: string): readonly string[] {
    const command = this.#unanswered.get(id);
    if (command === undefined) return [];
    if (name !== undefined) command.unconfirmed.delete(name);
    command.missingCount -= 1;
    if (command.missingCount > 0) return [];
    this.#unanswered.delete(id);
    if (!command.isSubscribe) return [];
    return this.#confirm(command.names);
  }

  /** Takes the refusal of a subscribe message. `id` null: the exchange does not say which one. */
  refused(id: number | null, nowMs: number): void {
    // The other names of the message may still be confirmed.
    if (this.#confirmsEachName) this.#refusedAtMs = nowMs;
    else if (id !== null) {
      const command = this.#unanswered.get(id);
      if (command?.isSubscribe === true) this.#doubt(command, nowMs);
    }
  }

  /** True when a message has waited too long for its confirmation: the socket should be opened again. */
  isSilent(nowMs: number): boolean {
    for (const command of this.#unanswered.values()) if (isLate(command, nowMs)) return true;
    return false;
  }

  /** Names to subscribe to with one message. */
  #added(nowMs: number): readonly string[] {
    const missing = [...this.#wanted].filter((name) => !this.#sent.has(name));
    const trusted = missing.filter((name) => !this.#doubted.has(name));
    if (trusted.length > 0) return trusted;
    return missing.filter((name) => nowMs >= this.#doubted.get(name)!).slice(0, 1);
  }

  /** A message that is silent because of a refusal is no sign of a dead connection. */
  #doubtSilent(nowMs: number): void {
    for (const command of this.#unanswered.values()) {
      const isRefused = command.isSubscribe && this.#refusedAtMs >= command.sentAtMs;
      if (isRefused && isLate(command, nowMs)) this.#doubt(command, nowMs);
    }
  }

  #confirm(names: readonly string[]): readonly string[] {
    const confirmed = names.filter((name) => this.#sent.has(name));
    for (const name of confirmed) {
      this.#sent.set(name, true);
      this.#doubted.delete(name);
    }
    return confirmed;
  }

  #doubt({ id, names, unconfirmed }: UnansweredCommand, nowMs: number): void {
    this.#unanswered.delete(id);
    this.#confirm(names.filter((name) => !unconfirmed.has(name)));
    const againAtMs = unconfirmed.size === 1 ? nowMs + STREAM_REFUSED_AGAIN_MS : nowMs;
    for (const name of unconfirmed) {
      this.#sent.delete(name);
      this.#renewed.delete(name);
      if (this.#wanted.has(name)) this.#doubted.set(name, againAtMs);
    }
  }
}

function isLate({ sentAtMs }: UnansweredCommand, nowMs: number): boolean {
  return nowMs - sentAtMs > SUBSCRIBE_WAIT_MS_MAX;
}

/** Divides names among sockets. A name stays on its socket while it is wanted. */
export class StreamPool<Socket extends { readonly streams: SocketStreams }> {
  readonly #open: () => Socket;
  readonly #close: (socket: Socket) => void;
  readonly #sockets = new Set<Socket>();
  readonly #byName = new Map<string, Socket>();

  constructor(open: () => Socket, close: (socket: Socket) => void) {
    this.#open = open;
    this.#close = close;
  }

  get sockets(): Iterable<Socket> {
    return this.#sockets;
  }

  socketWith(name: string): Socket | undefined {
    return this.#byName.get(name);
  }

  want(names: ReadonlySet<string>): void {
    for (const [name, socket] of this.#byName) {
      if (names.has(name)) continue;
      socket.streams.unwant(name);
      this.#byName.delete(name);
    }
    for (const name of names) {
      if (this.#byName.has(name)) continue;
      const socket = this.#free();
      socket.streams.want(name);
      this.#byName.set(name, socket);
    }
    for (const socket of this.#sockets) {
      if (socket.streams.count > 0) continue;
      this.#sockets.delete(socket);
      this.#close(socket);
    }
  }

  #free(): Socket {
    for (const socket of this.#sockets) if (socket.streams.count < STREAMS_PER_SOCKET_MAX) return socket;
    const socket = this.#open();
    this.#sockets.add(socket);
    return socket;
  }
}
