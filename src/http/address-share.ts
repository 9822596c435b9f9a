import { createReadStream } from 'node:fs';
import { ADDRESS_BUDGETS_MAX, CONNECTION_COUNT_MS } from '../domain/limits/clients.js';

/** A network subscriber, as `subscriberOf` returns it. */
type Subscriber = number | bigint;

export type ConnectionCounts = ReadonlyMap<Subscriber, number>;

interface AddressShareParts {
  /** Connections that one address may have open. */
  readonly countMax: number;
  /** The open connections of each address now. Rejects where the operating system does not show them. */
  readonly count: () => Promise<ConnectionCounts>;
  /** A clock that never steps back, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Bounds the open connections of one address. uWebSockets does not say whose connection has closed. So each new
 * connection counts until the operating system is asked again, which happens before an address reaches its bound:
 *
 *     0 ──── counted by addition ──── half ──── asks, at most once in CONNECTION_COUNT_MS ──── countMax ── refused
 *
 * An address that opens and closes many connections in that time may be refused until the next count.
 */
export class AddressShare {
  readonly #parts: AddressShareParts;
  #counts = new Map<Subscriber, number>();
  /** Connections that were opened during the present count; null: no count is under way. */
  #opened: Map<Subscriber, number> | null = null;
  #countAgainAtMs = -Infinity;
  #isBounded = true;

  constructor(parts: AddressShareParts) {
    this.#parts = parts;
  }

  /** Counts a new connection. False: the address has its share. */
  take(subscriber: Subscriber): boolean {
    const count = (this.#counts.get(subscriber) ?? 0) + 1;
    const { countMax } = this.#parts;
    if (count > countMax / 2 || this.#counts.size >= ADDRESS_BUDGETS_MAX) this.#recount();
    if (count > countMax && this.#isBounded) return false;
    this.#counts.set(subscriber, count);
    if (this.#opened !== null) add(this.#opened, subscriber, 1);
    return true;
  }

  #recount(): void {
    if (this.#opened !== null || this.#parts.nowMs() < this.#countAgainAtMs) return;
    const opened = new Map<Subscriber, number>();
    this.#opened = opened;
    this.#parts.count().then(
      (counts) => this.#replace(new Map(counts), opened),
      () => {
        this.#isBounded = false;
        this.#replace(new Map(), opened);
      },
    );
  }

  /** A connection that was opened during the count may be in it or not. The earlier figure is an upper bound too. */
  #replace(counts: Map<Subscriber, number>, opened: ReadonlyMap<Subscriber, number>): void {
    for (const [subscriber, count] of opened) add(counts, subscriber, count);
    for (const [subscriber, count] of counts) {
      counts.set(subscriber, Math.min(count, this.#counts.get(subscriber) ?? count));
    }
    this.#counts = counts;
    this.#opened = null;
    this.#countAgainAtMs = this.#parts.nowMs() + CONNECTION_COUNT_MS;
  }
}

function add(counts: Map<Subscriber, number>, subscriber: Subscriber, count: number): void {
  counts.set(subscriber, (counts.get(subscriber) ?? 0) + count);
}

/** The connections of this machine's network (Linux). `net`: the folder of the tables of IPv4 and IPv6. */
export async function countConnections(
  port: number,
  subscriberOf: (address: ArrayBuffer) => Subscriber | null,
  net = '/proc/self/net',
): Promise<ConnectionCounts> {
  const counts = new Map<Subscriber, number>();
  const note = (line: string): void => {
    const address = peerIn(line, port);
    const subscriber = address === null ? null : subscriberOf(address);
    if (subscriber !== null) add(counts, subscriber, 1);
  };
  await forEachLine(`${net}/tcp`, note);
  // A machine without IPv6 has no such table.
  await forEachLine(`${net}/tcp6`, note).catch(() => undefined);
  return counts;
}

/** Reads in parts, so that a table of many connections does not hold up the event loop. */
async function forEachLine(path: string, note: (line: string) => void): Promise<void> {
  let rest = '';
  for await (const part of createReadStream(path, 'latin1')) {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) note(line);
  }
}

/** Columns: number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode. */
const ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+) /;
const LISTENING = '0A';
/** A connection without a descriptor: it is not accepted yet, or closed. */
const NO_DESCRIPTOR = '0';
const WORD_DIGITS = 8;

/**
 * The address of the other side; null: not a connection to the port. The table has words of 4 bytes, last byte first.
 */
function peerIn(line: string, port: number): ArrayBuffer | null {
  const [, local = '', remote = '', state, inode] = ROW.exec(line) ?? [];
  if (Number.parseInt(local, 16) !== port || state === LISTENING || inode === NO_DESCRIPTOR) return null;
  const bytes = new Uint8Array(remote.length / 2);
  for (let at = 0; at < remote.length; at += WORD_DIGITS) {
    bytes.set(Buffer.from(remote.slice(at, at + WORD_DIGITS), 'hex').toReversed(), at / 2);
  }
  return bytes.buffer;
}
