import type { StateReader } from '../journal/port.js';
import { FairQueue } from '../domain/queues.js';
import type { ReadHost, ReadPage, ReadRequest } from '../domain/query.js';
import type { AccountId } from '../domain/ids.js';
import {
  READ_PAGES_ASKED_MAX,
  READS_ACTIVE_MAX,
  READS_ACTIVE_PER_ACCOUNT_MAX,
  READS_MAX,
  READS_PER_ACCOUNT_MAX,
  READ_DRAIN_MS_MAX,
  READ_ROWS_PER_REQUEST,
} from '../domain/limits/clients.js';
import type { Rejection } from '../domain/rejection.js';
import type { RequestFailure, WhenComplete } from '../journal/complete-reads.js';
import { STORE_BEHIND } from './order-query.js';
import { ReadJob } from './read-job.js';

/** The client of one answer. Its transport implements it. */
export interface ReadRecipient extends RequestFailure {
  readonly account: AccountId;
  /** Takes further requests from the caller's budget, for the rows of a large answer. */
  readonly charge: (requestCount: number) => void;
  /** True when the client has disconnected. */
  isGone(): boolean;
  /** Sends the whole answer. */
  answer(text: string): void;
  refuse(rejection: Rejection): void;
  /**
   * Begins an answer in parts; null: the client has disconnected. `onDrained`: the client has taken all parts so far.
   */
  stream(onDrained: () => void): ReadStream | null;
  /** Calls `listener` when the client disconnects before the answer is complete. */
  onGone(listener: () => void): void;
}

export interface ReadStream {
  /** True while the client has not taken all parts so far. */
  readonly isClogged: boolean;
  write(bytes: Uint8Array): void;
  end(): void;
  /** Aborts the answer, so that the client does not take the part for the whole. */
  cut(): void;
}

export interface ReadQueueParts {
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  readonly host: ReadHost;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
}

/** The larger answers of one account. */
interface AccountReads {
  activeCount: number;
  readonly waiting: Set<ReadSender>;
}

/**
 * Answers lists that are read from the journal. It reads and answers a small list at once. The host reads a larger one
 * page by page, and each page is sent when the client has taken the page before:
 *
 *     waiting ──▶ ready ──▶ requested ──▶ sent ──▶ … ──▶ over
 *                   ▲                       │
 *                   └── taken by the socket ┘
 *
 * Accounts are served in turn, and so are the answers of an account. The number of waiting answers of an account is
 * bounded. Only the page that the client has not taken yet is kept in memory.
 */
export class ReadQueue {
  readonly #parts: ReadQueueParts;
  readonly #accounts = new Map<AccountId, AccountReads>();
  readonly #ready = new FairQueue<AccountId, ReadSender>();
  #readCount = 0;
  #activeCount = 0;
  #askedCount = 0;
  #lastNumber = 0;

  constructor(parts: ReadQueueParts) {
    this.#parts = parts;
  }

  /** Larger answers that are being sent or wait. */
  get readCount(): number {
    return this.#readCount;
  }

  /**
   * Answers once, now or later. The answer includes every turn that was answered before; otherwise it is SYSTEM_BUSY.
   */
  answer(recipient: ReadRecipient, request: ReadRequest): void {
    this.#parts.whenComplete(
      (snapshot) => {
        if (snapshot === null) return recipient.refuse(STORE_BEHIND);
        const text = new ReadJob(this.#parts.reader, request).whole();
        if (text !== null) return recipient.answer(text);
        const refusal = this.#refusalOf(recipient.account);
        if (refusal !== null) return recipient.refuse(refusal);
        if (!recipient.isGone()) this.#accept(recipient, request);
      },
      { account: recipient.account, client: recipient },
    );
  }

  #refusalOf(account: AccountId): Rejection | null {
    if (this.#readCount >= READS_MAX) {
      return { code: 'SYSTEM_BUSY', message: `${READS_MAX} large answers are being read or wait; try again` };
    }
    const own = this.#accounts.get(account);
    if (own === undefined || own.activeCount + own.waiting.size < READS_PER_ACCOUNT_MAX) return null;
    const message = `${READS_PER_ACCOUNT_MAX} large answers of this account are being read or wait; try again`;
    return { code: 'RATE_LIMIT_EXCEEDED', message };
  }

  #accept(recipient: ReadRecipient, request: ReadRequest): void {
    const { account } = recipient;
    this.#lastNumber += 1;
    const sender = new ReadSender({
      number: this.#lastNumber,
      recipient,
      request,
      monotonicMs: this.#parts.monotonicMs,
      onReady: () => this.#onReady(sender),
      onOver: () => this.#onOver(sender),
    });
    let own = this.#accounts.get(account);
    if (own === undefined) this.#accounts.set(account, (own = { activeCount: 0, waiting: new Set() }));
    own.waiting.add(sender);
    this.#readCount += 1;
    this.#activate();
  }

  /** Starts waiting answers within the bounds: one of each account before a second one of any account. */
  #activate(): void {
    for (let activeCount = 0; activeCount < READS_ACTIVE_PER_ACCOUNT_MAX; activeCount += 1) {
      for (const [account, own] of this.#accounts) {
        if (this.#activeCount >= READS_ACTIVE_MAX) break;
        const [sender] = own.waiting;
        if (own.activeCount !== activeCount || sender === undefined) continue;
        own.waiting.delete(sender);
        own.activeCount += 1;
        this.#activeCount += 1;
        sender.isActive = true;
        this.#ready.add(account, sender);
      }
    }
    this.#ask();
  }

  #ask(): void {
    while (this.#askedCount < READ_PAGES_ASKED_MAX) {
      const sender = this.#ready.take();
      if (sender === undefined) return;
      this.#askedCount += 1;
      this.#parts.host.page(sender.number, sender.takeRequest(), (page) => {
        this.#askedCount -= 1;
        if (sender.isOver && page?.isLast === false) this.#parts.host.drop(sender.number);
        sender.onPage(page);
        this.#ask();
      });
    }
  }

  #onReady(sender: ReadSender): void {
    this.#ready.add(sender.account, sender);
    this.#ask();
  }

  #onOver(sender: ReadSender): void {
    const { account } = sender;
    const own = this.#accounts.get(account);
    if (own === undefined) return;
    this.#readCount -= 1;
    if (sender.isActive) {
      own.activeCount -= 1;
      this.#activeCount -= 1;
      this.#ready.remove(account, sender);
      if (sender.hasJob) this.#parts.host.drop(sender.number);
    } else {
      own.waiting.delete(sender);
    }
    // The account moves to the end of the next round.
    if (sender.isActive) this.#accounts.delete(account);
    if (own.activeCount + own.waiting.size > 0) this.#accounts.set(account, own);
    else this.#accounts.delete(account);
    this.#activate();
  }
}

interface ReadSenderParts {
  /** Number of the job at the host. */
  readonly number: number;
  readonly recipient: ReadRecipient;
  readonly request: ReadRequest;
  readonly monotonicMs: () => number;
  /** The client has taken the last page. */
  readonly onReady: () => void;
  /** Called once: the answer is complete, or its client has disconnected. */
  readonly onOver: () => void;
}

/** Sends one larger answer to its client. */
class ReadSender {
  readonly number: number;
  readonly account: AccountId;
  /** False while it waits for its start. */
  isActive = false;
  readonly #parts: ReadSenderParts;
  #request: ReadRequest | null;
  #stream: ReadStream | null = null;
  #chargedRequests = 1;
  #cloggedAtMs = 0;
  #isAsked = false;
  #hasJob = false;
  #isOver = false;

  constructor(parts: ReadSenderParts) {
    const { number, recipient, request } = parts;
    this.number = number;
    this.account = recipient.account;
    this.#parts = parts;
    this.#request = request;
    recipient.onGone(() => this.#end());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True while the host keeps the job and reads no page of it. */
  get hasJob(): boolean {
    return this.#hasJob && !this.#isAsked;
  }

  /** The request for the next page: the client's request for the first page, then null. */
  takeRequest(): ReadRequest | null {
    const request = this.#request;
    this.#request = null;
    this.#isAsked = true;
    return request;
  }

  /** Takes the requested page; null: the host has failed. */
  onPage(page: ReadPage | null): void {
    this.#isAsked = false;
    this.#hasJob = page?.isLast === false;
    if (this.#isOver) return;
    if (page === null) return this.#fail();
    this.#charge(page.rowsKnown);
    this.#stream ??= this.#parts.recipient.stream(() => this.#onDrained());
    this.#stream?.write(page.bytes);
    if (page.isLast) {
      this.#stream?.end();
      this.#end();
    } else if (this.#stream?.isClogged === true) {
      this.#cloggedAtMs = this.#parts.monotonicMs();
    } else {
      this.#parts.onReady();
    }
  }

  /** Charges the budget for the rows that are known so far. */
  #charge(rows: number): void {
    const requests = Math.max(1, Math.ceil(rows / READ_ROWS_PER_REQUEST));
    if (requests <= this.#chargedRequests) return;
    this.#parts.recipient.charge(requests - this.#chargedRequests);
    this.#chargedRequests = requests;
  }

  #onDrained(): void {
    if (this.#isOver) return;
    if (this.#parts.monotonicMs() - this.#cloggedAtMs > READ_DRAIN_MS_MAX) this.#stream?.cut();
    else this.#parts.onReady();
  }

  #fail(): void {
    if (this.#stream !== null) return this.#stream.cut();
    const message = 'the answer could not be read; try again';
    this.#parts.recipient.refuse({ code: 'SYSTEM_BUSY', message });
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.onOver();
  }
}
