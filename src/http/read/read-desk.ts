import type { StateReader } from '../../journal/port.js';
import { FairQueue } from '../../model/fair-queue.js';
import type { AccountId } from '../../model/ids.js';
import {
  READ_PAGES_ASKED_MAX,
  READS_ACTIVE_MAX,
  READS_ACTIVE_PER_ACCOUNT_MAX,
  READS_MAX,
  READS_PER_ACCOUNT_MAX,
} from '../../model/limits.js';
import type { Rejection } from '../../model/rejection.js';
import type { ReadHost, ReadQuestion } from '../../route/read-question.js';
import { OK, RETRY_AFTER_HEADER } from '../errors.js';
import { STORE_BEHIND } from '../named-order.js';
import type { SignedRequest } from '../endpoint.js';
import { ReadJob } from './read-job.js';
import { ReadSender } from './read-sender.js';

/** Who asks, and where the answer goes. `charge` takes further requests from a budget for the rows of a large answer. */
export type ReadRequest = Pick<SignedRequest, 'call' | 'account' | 'charge'>;

export interface ReadDeskParts {
  readonly reader: StateReader;
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
 * Answers lists that are read from the journal. A small one is read and answered at once. A larger one is read page by
 * page by the host, and sent as the client takes it:
 *
 *     waiting ──▶ ready ──▶ asked ──▶ sent ──▶ … ──▶ over
 *                   ▲                   │
 *                   └── taken by the socket
 *
 * Accounts are served in turn, and within an account its answers. What an account has waiting is bounded; nothing of an
 * answer is kept but the page that its socket has not taken yet.
 */
export class ReadDesk {
  readonly #parts: ReadDeskParts;
  readonly #accounts = new Map<AccountId, AccountReads>();
  readonly #ready = new FairQueue<AccountId, ReadSender>();
  #readCount = 0;
  #activeCount = 0;
  #askedCount = 0;
  #lastNumber = 0;

  constructor(parts: ReadDeskParts) {
    this.#parts = parts;
  }

  /** Larger answers that are under way or wait. */
  get readCount(): number {
    return this.#readCount;
  }

  /** Answers the call, now or later. The answer includes every turn that was answered before; otherwise it is SYSTEM_BUSY. */
  answer(request: ReadRequest, question: ReadQuestion): void {
    const { reader } = this.#parts;
    if (!reader.refresh()) return request.call.refuse(STORE_BEHIND);
    const text = new ReadJob(reader, question).whole();
    if (text !== null) return request.call.answer(OK, text);
    const refusal = this.#refusalOf(request.account);
    if (refusal !== null) return request.call.refuse(refusal, undefined, RETRY_AFTER_HEADER);
    this.#accept(request, question);
  }

  #refusalOf(account: AccountId): Rejection | null {
    if (this.#readCount >= READS_MAX) {
      return { code: 'SYSTEM_BUSY', message: `${READS_MAX} large answers are being read or wait; ask again` };
    }
    const own = this.#accounts.get(account);
    if (own === undefined || own.activeCount + own.waiting.size < READS_PER_ACCOUNT_MAX) return null;
    const message = `${READS_PER_ACCOUNT_MAX} large answers of this account are being read or wait; ask again`;
    return { code: 'RATE_LIMIT_EXCEEDED', message };
  }

  #accept(request: ReadRequest, question: ReadQuestion): void {
    const { account } = request;
    this.#lastNumber += 1;
    const sender = new ReadSender({
      number: this.#lastNumber,
      request,
      question,
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

  /** Takes up what waits as far as the bounds allow: one answer of each account before a second one of any. */
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
      this.#parts.host.page(sender.number, sender.takeQuestion(), (page) => {
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
    // After the others the next time.
    if (sender.isActive) this.#accounts.delete(account);
    if (own.activeCount + own.waiting.size > 0) this.#accounts.set(account, own);
    else this.#accounts.delete(account);
    this.#activate();
  }
}
