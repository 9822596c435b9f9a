import { describe, expect, it } from 'vitest';
import type { AnswerStream } from '../../src/http/answer-stream.js';
import type { Call } from '../../src/http/call.js';
import { ReadDesk } from '../../src/http/read/read-desk.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import {
  READ_DRAIN_MS_MAX,
  READ_PAGES_ASKED_MAX,
  READ_ROWS_PER_REQUEST,
  READS_ACTIVE_MAX,
  READS_ACTIVE_PER_ACCOUNT_MAX,
  READS_MAX,
  READS_PER_ACCOUNT_MAX,
} from '../../src/model/limits.js';
import type { Rejection } from '../../src/model/rejection.js';
import type { ReadHost, ReadPage, ReadQuestion } from '../../src/route/read-question.js';
import { FakeOrderBook } from './fake-order-book.js';
import { DEMO, OTHER, parentState } from './orders.js';

const LARGE = 2 * READ_ROWS_PER_REQUEST;
const PAGE = new Uint8Array(100);

/** A client whose socket takes what the test lets it. */
class Client {
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

  get call(): Call {
    const call: Partial<Call> = {
      answer: (_status, body) => void (this.whole = body),
      refuse: (rejection) => void (this.refusal = rejection),
      onGone: (listener) => void (this.#onGone = listener),
      stream: (onDrained) => {
        this.#onDrained = onDrained;
        this.state = 'streaming';
        return this.#stream();
      },
    };
    return call as Call;
  }

  drain(): void {
    this.#isClogged = false;
    this.#onDrained();
  }

  leave(): void {
    this.state = 'gone';
    this.#onGone();
  }

  #stream(): AnswerStream {
    const isClogged = (): boolean => this.#isClogged;
    const stream = {
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
    return stream as unknown as AnswerStream;
  }
}

interface Asked {
  readonly job: number;
  readonly question: ReadQuestion | null;
  readonly answer: (page: ReadPage | null) => void;
}

class Rig implements ReadHost {
  readonly book = new FakeOrderBook();
  readonly asked: Asked[] = [];
  readonly dropped: number[] = [];
  /** In the order in which their pages were read. */
  readonly served: AccountId[] = [];
  nowMs = 0;
  pageCount = 5;
  readonly #pages = new Map<number, number>();
  readonly desk = new ReadDesk({ reader: this.book, host: this, monotonicMs: () => this.nowMs });

  constructor(...accounts: AccountId[]) {
    for (const [index, account] of accounts.entries()) {
      for (let id = 1; id <= LARGE; id += 1) {
        this.book.put(parentState({ orderId: (index * 10_000 + id) as OrderId, account }));
      }
    }
  }

  page(job: number, question: ReadQuestion | null, answer: (page: ReadPage | null) => void): void {
    this.asked.push({ job, question, answer });
  }

  drop(job: number): void {
    this.dropped.push(job);
  }

  ask(account: AccountId, isSlow = false): Client {
    const client = new Client(account);
    client.isSlow = isSlow;
    this.desk.answer(client, { kind: 'open', account, wanted: { withTrades: false, withFees: false } });
    return client;
  }

  /** Reads the page that was asked for first; false when none is. */
  read(): boolean {
    const asked = this.asked.shift();
    if (asked === undefined) return false;
    if (asked.question?.kind === 'open') this.served.push(asked.question.account);
    const read = (this.#pages.get(asked.job) ?? 0) + 1;
    this.#pages.set(asked.job, read);
    asked.answer({ bytes: PAGE, rowsKnown: LARGE, isLast: read === this.pageCount });
    return true;
  }

  readAll(): void {
    while (this.read());
  }
}

describe('the desk of large answers', () => {
  it('answers a small list at once', () => {
    const rig = new Rig();
    expect(rig.ask(DEMO).whole).toBe('{"orders":[]}');
    expect(rig.asked).toEqual([]);
  });

  it('has a large one read page by page, and sends each', () => {
    const rig = new Rig(DEMO);
    const client = rig.ask(DEMO);
    rig.readAll();
    expect([client.pages, client.state, rig.desk.readCount]).toEqual([5, 'ended', 0]);
  });

  it('asks for a bounded number of pages at once, however many wait', () => {
    const rig = new Rig(DEMO, OTHER);
    for (let count = 0; count < 20; count += 1) [DEMO, OTHER].map((account) => rig.ask(account));
    expect(rig.asked).toHaveLength(READ_PAGES_ASKED_MAX);
    for (; rig.read();) expect(rig.asked.length).toBeLessThanOrEqual(READ_PAGES_ASKED_MAX);
  });

  it('serves accounts in turn: one answer of another account waits for no more than those that are active', () => {
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

  it('reads a bounded number of answers of all accounts at once, and takes up the next account first', () => {
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

  it('cuts a client that takes too long for a page', () => {
    const rig = new Rig(DEMO);
    const slow = rig.ask(DEMO, true);
    rig.readAll();
    rig.nowMs += READ_DRAIN_MS_MAX + 1;
    slow.drain();
    expect([slow.state, rig.dropped, rig.desk.readCount]).toEqual(['cut', [1], 0]);
  });

  it('ends the job of a client that leaves, whatever it is waiting for', () => {
    const rig = new Rig(DEMO);
    const [asked, , waiting] = [rig.ask(DEMO), rig.ask(DEMO), rig.ask(DEMO)];
    waiting.leave();
    asked.leave();
    expect(rig.desk.readCount).toBe(1);
    rig.readAll();
    expect([rig.dropped, asked.pages, waiting.pages, rig.desk.readCount]).toEqual([[1], 0, 0, 0]);
    const slow = rig.ask(DEMO, true);
    rig.readAll();
    slow.leave();
    expect([rig.dropped.length, rig.desk.readCount]).toEqual([2, 0]);
  });

  it('refuses what is beyond the bound of an account, and of all accounts', () => {
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

  it('charges the rows that an answer has, once, before it begins', () => {
    const rig = new Rig(DEMO);
    const client = rig.ask(DEMO);
    rig.readAll();
    expect(client.charges).toEqual([LARGE / READ_ROWS_PER_REQUEST - 1]);
  });

  it('refuses a call whose job fails before its answer begins, and cuts it after', () => {
    const rig = new Rig(DEMO);
    const [early, late] = [rig.ask(DEMO), rig.ask(DEMO, true)];
    rig.asked.shift()?.answer(null);
    expect(early.refusal?.code).toBe('SYSTEM_BUSY');
    rig.readAll();
    late.drain();
    rig.asked.shift()?.answer(null);
    expect([late.state, rig.desk.readCount]).toEqual(['cut', 0]);
  });
});
