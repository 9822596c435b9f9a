import type { NumberedEvent } from '../../src/journal/port.js';
import type { Command, ShardMessage } from '../../src/domain/command.js';
import type { AccountId, CorrelationId, OrderId, Seq } from '../../src/domain/ids.js';
import type { Rejection } from '../../src/domain/rejection.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import type { Inbox, MainOutbox, VenueOutbox } from '../../src/shard/port.js';

/** The calls of a shard to its ports, one line each, in order. */
export type Diary = string[];

export class FakeInbox implements Inbox {
  readonly commands: Command[] = [];
  readonly reports: VenueReport[] = [];

  drainCommands(messagesMax: number, handle: (command: Command) => void): number {
    return drain(this.commands, messagesMax, handle);
  }

  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number {
    return drain(this.reports, messagesMax, handle);
  }
}

function drain<Message>(queue: Message[], messagesMax: number, handle: (message: Message) => void): number {
  const taken = queue.splice(0, messagesMax);
  for (const message of taken) handle(message);
  return taken.length;
}

export class FakeMain implements MainOutbox {
  readonly messages: ShardMessage[] = [];
  /** False: the shard takes no new commands. */
  isRoomy = true;
  readonly #latestSeqs = new Map<AccountId, Seq>();
  /** True: every message is dropped. */
  isFull = false;
  readonly #diary: Diary;

  constructor(diary: Diary) {
    this.#diary = diary;
  }

  hasRoom(): boolean {
    return this.isRoomy;
  }

  noteDurable(account: AccountId, seq: Seq): void {
    this.#latestSeqs.set(account, seq);
  }

  needs(): boolean {
    return true;
  }

  publish({ envelope, marks }: NumberedEvent): boolean {
    const { correlationId, account, seq } = envelope;
    if ((this.#latestSeqs.get(account) ?? 0) < seq)
      throw new Error(`event ${seq} leaves before reads of ${account} need it`);
    return this.#take({ kind: 'Published', correlationId, account, envelope, marks }, `publish ${envelope.event.kind}`);
  }

  refuse(correlationId: CorrelationId, orderId: OrderId, rejection: Rejection): boolean {
    return this.#take({ kind: 'Refused', correlationId, orderId, rejection }, `refuse ${correlationId}`);
  }

  unchanged(correlationId: CorrelationId, orderId: OrderId): boolean {
    return this.#take({ kind: 'Unchanged', correlationId, orderId }, `unchanged ${correlationId}`);
  }

  missed(): boolean {
    return this.#take({ kind: 'Missed' }, 'missed');
  }

  flush(): void {
    this.#diary.push('wake main');
  }

  #take(message: ShardMessage, line: string): boolean {
    if (this.isFull) return false;
    this.messages.push(message);
    this.#diary.push(line);
    return true;
  }
}

export class FakeVenue implements VenueOutbox {
  readonly requests: VenueRequest[] = [];
  isFull = false;
  readonly #diary: Diary;

  constructor(diary: Diary) {
    this.#diary = diary;
  }

  send(request: VenueRequest): void {
    this.requests.push(request);
    this.#diary.push(`send ${request.kind}`);
  }

  flush(): void {
    this.#diary.push('wake venue');
  }
}
