import type { AccountId } from '../../model/ids.js';
import { READ_DRAIN_MS_MAX, READ_ROWS_PER_REQUEST } from '../../model/limits.js';
import type { ReadPage, ReadQuestion } from '../../route/read-question.js';
import type { AnswerStream } from '../answer-stream.js';
import type { ReadRequest } from './read-desk.js';

export interface ReadSenderParts {
  /** Of the job at the host. */
  readonly number: number;
  readonly request: ReadRequest;
  readonly question: ReadQuestion;
  readonly monotonicMs: () => number;
  /** The client has taken the last page: it waits for the next one. */
  readonly onReady: () => void;
  /** Called once: the answer is complete, or its client has gone. */
  readonly onOver: () => void;
}

/** One larger answer on its way to its client. */
export class ReadSender {
  readonly number: number;
  readonly account: AccountId;
  /** False while it waits to be taken up. */
  isActive = false;
  readonly #parts: ReadSenderParts;
  #question: ReadQuestion | null;
  #stream: AnswerStream | null = null;
  #chargedRequests = 1;
  #cloggedAtMs = 0;
  #isAsked = false;
  #hasJob = false;
  #isOver = false;

  constructor(parts: ReadSenderParts) {
    const { number, request, question } = parts;
    this.number = number;
    this.account = request.account;
    this.#parts = parts;
    this.#question = question;
    request.call.onGone(() => this.#end());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True while the host keeps the job and no page of it is asked for. */
  get hasJob(): boolean {
    return this.#hasJob && !this.#isAsked;
  }

  /** For the next page: the question with the first one, then null. */
  takeQuestion(): ReadQuestion | null {
    const question = this.#question;
    this.#question = null;
    this.#isAsked = true;
    return question;
  }

  /** The page that was asked for; null: the host has failed. */
  onPage(page: ReadPage | null): void {
    this.#isAsked = false;
    this.#hasJob = page?.isLast === false;
    if (this.#isOver) return;
    if (page === null) return this.#fail();
    this.#charge(page.rowsKnown);
    this.#stream ??= this.#parts.request.call.stream(() => this.#onDrained());
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

  /** Before the answer begins this shows in its headers; what is found later, in those of the next one. */
  #charge(rows: number): void {
    const requests = Math.max(1, Math.ceil(rows / READ_ROWS_PER_REQUEST));
    if (requests <= this.#chargedRequests) return;
    this.#parts.request.charge(requests - this.#chargedRequests);
    this.#chargedRequests = requests;
  }

  #onDrained(): void {
    if (this.#isOver) return;
    if (this.#parts.monotonicMs() - this.#cloggedAtMs > READ_DRAIN_MS_MAX) this.#stream?.cut();
    else this.#parts.onReady();
  }

  #fail(): void {
    if (this.#stream !== null) return this.#stream.cut();
    const message = 'the answer could not be read; ask again';
    this.#parts.request.call.refuse({ code: 'SYSTEM_BUSY', message });
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.onOver();
  }
}
