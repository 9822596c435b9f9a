import { describe, expect, it } from 'vitest';
import { ReadQueue, type ReadRecipient, type ReadStream } from '../../src/intake/read-queue.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import {
  READ_DRAIN_MS_MAX,
  READ_PAGES_ASKED_MAX,
  READ_ROWS_PER_REQUEST,
  READS_ACTIVE_MAX,
  READS_ACTIVE_PER_ACCOUNT_MAX,
  READS_MAX,
  READS_PER_ACCOUNT_MAX,
} from '../../src/domain/limits/clients.js';
import type { Rejection } from '../../src/domain/rejection.js';
import type { ReadHost, ReadPage, ReadRequest } from '../../src/domain/query.js';
import { FakeOrderBook } from './fake-order-book.js';
import { DEMO, OTHER, parentState } from '../http/orders.js';

const LARGE = 2 * READ_ROWS_PER_REQUEST;
const PAGE = new Uint8Array(100);

/** A client whose socket takes data when the test allows it. */
class Client implements ReadRecipient {
  readonly account: AccountId;
  readonly charges: number[] = [];
  refusal: Rejection | null = null;
  whole: string | null = null;
  pages = 0;
  state: 'waiting' | 'streaming' | 'ended' | 'cut' | 'gone' = 'waiting';
  isSlow = false;
  #isClogged = false;
  #onDrained: () => void = () => undefined;
  #onGone: () => void = () => undefined;

  constructor(account: AccountId) {
    this.account = account;
  }

  readonly charge = (count: number): void => void this.charges.push(count);

  answer(text: string): void {
    this.whole = text;
  }

  refuse(rejection: Rejection): void {
    this.refusal = rejection;
  }

  isGone(): boolean {
    return this.state === 'gone';
  }

  fail(error: unknown): void {
    throw error;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  stream(onDrained: () => void): ReadStream {
    this.#onDrained = onDrained;
    this.state = 'streaming';
    return this.#stream();
  }

  drain(): void {
    this.#isClogged = false;
    this.#onDrained();
  }

  leave(): void {
    this.state = 'gone';
    this.#onGone();
  }

  #stream(): ReadStream {
    const isClogged = (): boolean => this.#isClogged;
    return {
      get isClogged() {
        return isClogged();
      },
      write: () => {
        this.pages += 1;
        this.#isClogged = this.isSlow;
      },
      end: () => void (this.state = 'ended'),
      cut: () => {
        this.state = 'cut';
        this.#onGone();
      },
    };
  }
}

interface PageRequest {
  readonly job: number;
  readonly question: ReadRequest | null;
  readonly answer: (page: ReadPage | null) => void;
}

class Rig implements ReadHost {
  readonly book = new FakeOrderBook();
  readonly requests: PageRequest[] = [];
  readonly dropped: number[] = [];
  /** The clients in the order in which their pages were read. */
  readonly served: AccountId[] = [];
  nowMs = 0;
  pageCount = 5;
  readonly #pages = new Map<number, number>();
  readonly queue = new ReadQueue({
    reader: this.book,
    whenComplete: this.book.whenComplete,
    host: this,
    monotonicMs: () => this.nowMs,
  });

  constructor(...accounts: AccountId[]) {
    for (const [index, account] of accounts.entries()) {
      for (let id = 1; id <= LARGE; id += 1) {
        this.book.put(parentState({ orderId: (index * 10_000 + id) as OrderId, account }));
      }
    }
  }

  page(job: number, question: ReadRequest | null, answer: (page: ReadPage | null) => void): void {
    this.requests.push({ job, question, answer });
  }

  drop(job: number): void {
    this.dropped.push(job);
  }

  ask(account: AccountId, isSlow = false): Client {
    const client = new Client(account);
    client.isSlow = isSlow;
    this.queue.answer(client, {
      kind: 'open',
      account,
      wanted: { withTrades: false, withFees: false, withParams: false },
    });
    return client;
  }

  /** Reads the page that was requested first; false when none is. */
  read(): boolean {
    const request = this.requests.shift();
    if (request === undefined) return false;
    if (request.question?.kind === 'open') this.served.push(request.question.account);
    const read = (this.#pages.get(request.job) ?? 0) + 1;
    this.#pages.set(request.job, read);
    request.answer({ bytes: PAGE, rowsKnown: LARGE, isLast: read === this.pageCount });
    return true;
  }

  readAll(): void {
    while (this.read());
  }
}

describe('ReadQueue', () => {
  it('answers a small list at once', () => {
    const rig = new Rig();
    expect(rig.ask(DEMO).whole).toBe('{"orders":[]}');
    expect(rig.requests).toEqual([]);
  });

  it('reads a large list page by page and sends each page', () => {
    const rig = new Rig(DEMO);
    const client = rig.ask(DEMO);
    rig.readAll();
    expect([client.pages, client.state, rig.queue.readCount]).toEqual([5, 'ended', 0]);
  });

  it('requests a bounded number of pages at once', () => {
    const rig = new Rig(DEMO, OTHER);
    for (let count = 0; count < 20; count += 1) [DEMO, OTHER].map((account) => rig.ask(account));
    expect(rig.requests).toHaveLength(READ_PAGES_ASKED_MAX);
    for (; rig.read();) expect(rig.requests.length).toBeLessThanOrEqual(READ_PAGES_ASKED_MAX);
  });

  it('serves accounts in turn: an answer of another account waits only for active answers', () => {
    const rig = new Rig(DEMO, OTHER);
    const busy = Array.from({ length: 20 }, () => rig.ask(DEMO));
    const other = rig.ask(OTHER);
    for (let reads = 0; other.state !== 'ended'; reads += 1) {
      expect(rig.read()).toBe(true);
      expect(reads).toBeLessThanOrEqual(2 * (rig.pageCount + READ_PAGES_ASKED_MAX));
    }
    expect(busy.filter(({ state }) => state === 'ended').length).toBeLessThanOrEqual(READS_ACTIVE_PER_ACCOUNT_MAX);
    rig.readAll();
    expect(busy.every(({ state }) => state === 'ended')).toBe(true);
  });

  it('reads a bounded number of answers of an account at once', () => {
    const rig = new Rig(DEMO);
    const clients = Array.from({ length: 20 }, () => rig.ask(DEMO, true));
    rig.readAll();
    expect(clients.filter(({ pages }) => pages > 0)).toHaveLength(READS_ACTIVE_PER_ACCOUNT_MAX);
  });

  it('reads a bounded number of answers of all accounts at once and continues with the next account', () => {
    const accounts = Array.from({ length: READS_ACTIVE_MAX + 1 }, (_, index) => `account-${index}` as AccountId);
    const rig = new Rig(...accounts);
    const clients = accounts.map((account) => rig.ask(account, true));
    const again = rig.ask(accounts[0]!, true);
    rig.readAll();
    const last = clients.at(-1)!;
    expect([last.pages, again.pages]).toEqual([0, 0]);
    clients[0]?.leave();
    rig.readAll();
    expect([last.pages, again.pages]).toEqual([1, 0]);
  });

  it('reads no further page for a client that has not taken the last one', () => {
    const rig = new Rig(DEMO);
    const slow = rig.ask(DEMO, true);
    rig.readAll();
    expect(slow.pages).toBe(1);
    slow.drain();
    rig.readAll();
    expect(slow.pages).toBe(2);
  });

  it('closes the connection of a client that takes too long for a page', () => {
    const rig = new Rig(DEMO);
    const slow = rig.ask(DEMO, true);
    rig.readAll();
    rig.nowMs += READ_DRAIN_MS_MAX + 1;
    slow.drain();
    expect([slow.state, rig.dropped, rig.queue.readCount]).toEqual(['cut', [1], 0]);
  });

  it('ends the job of a client that disconnects in any state', () => {
    const rig = new Rig(DEMO);
    const [active, , waiting] = [rig.ask(DEMO), rig.ask(DEMO), rig.ask(DEMO)];
    waiting.leave();
    active.leave();
    expect(rig.queue.readCount).toBe(1);
    rig.readAll();
    expect([rig.dropped, active.pages, waiting.pages, rig.queue.readCount]).toEqual([[1], 0, 0, 0]);
    const slow = rig.ask(DEMO, true);
    rig.readAll();
    slow.leave();
    expect([rig.dropped.length, rig.queue.readCount]).toEqual([2, 0]);
  });

  it('refuses reads beyond the bounds of an account and of all accounts', () => {
    const rig = new Rig(DEMO, OTHER);
    const clients = Array.from({ length: READS_PER_ACCOUNT_MAX + 1 }, () => rig.ask(DEMO));
    expect(clients.filter(({ refusal }) => refusal !== null)).toHaveLength(1);
    expect(clients.at(-1)?.refusal?.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(rig.ask(OTHER).refusal).toBeNull();
    const accounts = Array.from({ length: READS_MAX / READS_PER_ACCOUNT_MAX }, (_, index) => `account-${index}`);
    const full = new Rig(...(accounts as AccountId[]), DEMO);
    for (const account of accounts as AccountId[]) {
      for (let count = 0; count < READS_PER_ACCOUNT_MAX; count += 1) full.ask(account);
    }
    expect(full.ask(DEMO).refusal?.code).toBe('SYSTEM_BUSY');
  });

  it('charges the rows of an answer once, before it starts', () => {
    const rig = new Rig(DEMO);
    const client = rig.ask(DEMO);
    rig.readAll();
    expect(client.charges).toEqual([LARGE / READ_ROWS_PER_REQUEST - 1]);
  });

  it('refuses a call whose job fails before the answer starts, and closes the connection later', () => {
    const rig = new Rig(DEMO);
    const [early, late] = [rig.ask(DEMO), rig.ask(DEMO, true)];
    rig.requests.shift()?.answer(null);
    expect(early.refusal?.code).toBe('SYSTEM_BUSY');
    rig.readAll();
    late.drain();
    rig.requests.shift()?.answer(null);
    expect([late.state, rig.queue.readCount]).toEqual(['cut', 0]);
  });

  it('reads nothing for a client that has left while the answer waited for the store', () => {
    const rig = new Rig(DEMO);
    rig.book.reads.hold();
    const client = rig.ask(DEMO);
    client.leave();
    rig.book.reads.release();
    expect([rig.requests, rig.queue.readCount]).toEqual([[], 0]);
  });
});
