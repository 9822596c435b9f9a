import type { Command } from '../../src/domain/command.js';
import { type AnyEvent, isOrderEvent, type UnnumberedEvent } from '../../src/domain/event.js';
import type { ChildNumber, OrderId, VenueTradeId } from '../../src/domain/ids.js';
import { LEAD_TURNS_MAX } from '../../src/domain/limits/process.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { CreateJournal, NumberedEvent, Release, TurnJournal } from '../../src/journal/port.js';
import { RecentTurns } from '../../src/journal/turn/recent-turns.js';
import { evolve } from '../../src/order/evolve.js';
import { encodeUnnumberedEvent } from '../../src/wire/codec/envelope.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { RingInbox, RingMainOutbox, RingVenueOutbox } from '../../src/shard/ring-ports.js';
import type { BellRinger } from '../../src/wire/bell.js';
import { decodeCommand } from '../../src/wire/codec/command.js';
import { RingConsumer } from '../../src/wire/ring.js';
import type { ShardMemory } from '../../src/wire/worker-data.js';
import type { Faults } from './faults.js';
import type { SimJournal, SimProducer } from './sim-journal.js';

/** The commands and reports of a shard, whose thread may die before it reads a change of a client. */
export class FragileInbox extends RingInbox {
  readonly #rings: ShardMemory;
  readonly #faults: Faults;

  constructor(rings: ShardMemory, faults: Faults, onUnreadable: (error: unknown) => void) {
    super(rings, onUnreadable);
    this.#rings = rings;
    this.#faults = faults;
  }

  override drainCommands(...args: Parameters<RingInbox['drainCommands']>): number {
    if (this.#faults.awaits('change unread') && this.#hasChange()) this.#faults.pass('change unread');
    return super.drainCommands(...args);
  }

  /** Looks into a copy, so that the commands stay unread. */
  #hasChange(): boolean {
    const { commands } = this.#rings;
    const copy = new SharedArrayBuffer(commands.byteLength);
    new Uint8Array(copy).set(new Uint8Array(commands));
    let hasChange = false;
    new RingConsumer(copy).drain(Infinity, (bytes) => {
      hasChange ||= UNREAD_CHANGES.has(decodeCommand(bytes).kind);
    });
    return hasChange;
  }
}

const UNREAD_CHANGES: ReadonlySet<Command['kind']> = new Set([
  'CancelParent',
  'PauseParent',
  'ResumeParent',
  'AmendParent',
]);

/** The output ports of a shard without changes, except that its thread may die at every step. */
export class FragileMainOutbox extends RingMainOutbox {
  readonly #faults: Faults;

  constructor(rings: ShardMemory, bell: BellRinger, faults: Faults) {
    super(rings, bell);
    this.#faults = faults;
  }

  override publish(event: NumberedEvent): boolean {
    this.#faults.pass('release');
    return super.publish(event);
  }
}

export class FragileVenueOutbox extends RingVenueOutbox {
  readonly #faults: Faults;
  readonly #onSent: (request: VenueRequest) => void;

  /** `onSent` gets each message before it leaves the shard. */
  constructor(rings: ShardMemory, bell: BellRinger, faults: Faults, onSent: (request: VenueRequest) => void) {
    super(rings, bell);
    this.#faults = faults;
    this.#onSent = onSent;
  }

  override send(request: VenueRequest): void {
    this.#faults.pass('release');
    this.#onSent(request);
    super.send(request);
  }
}

export interface FragileJournalParts {
  readonly journal: SimJournal;
  readonly faults: Faults;
  /** True when the thread may lead: the journal's word is free, and the disk is fast. */
  readonly mayLead: () => boolean;
  /** True when the disk has synced meanwhile. */
  readonly isSynced: () => boolean;
  /** Called with each turn in the order of the journal. */
  readonly onTurn: (turn: readonly NumberedEvent[]) => void;
  /** Called with each event before a thread releases it. */
  readonly onReleased: (event: NumberedEvent) => void;
}

interface WaitingTurn {
  readonly release: Release;
  /** null: not durable yet. */
  numbered: readonly NumberedEvent[] | null;
}

/**
 * Lets a thread with few turns write and sync them itself (journal/leader). The thread may die in between, which ends
 * the process. Otherwise the journal thread may have synced the turns of all threads.
 */
function syncSome(parts: FragileJournalParts, producer: SimProducer, waitingCount: number): void {
  const { journal, faults, isSynced, mayLead } = parts;
  if (waitingCount > 0 && waitingCount <= LEAD_TURNS_MAX && mayLead()) {
    journal.writeOf(producer);
    faults.pass('lead written');
    journal.syncOf(producer);
    faults.pass('lead synced');
  } else if (isSynced()) journal.sync();
}

/** Events with which a shard carries out a change of a client. */
const CHANGES: ReadonlySet<AnyEvent['kind']> = new Set([
  'ParentCancelRequested',
  'ParentPauseRequested',
  'ParentAmendRequested',
  'ParentAmended',
]);
const WAITING_MAX = 6;
const CREATES_WAITING_MAX = 30;

/**
 * The journal of one shard. The disk syncs later than the turn. The thread may die before it hands a turn over,
 * after it has handed over a change of a client, and between the sync and the release.
 */
export class FragileJournal implements TurnJournal {
  readonly #parts: FragileJournalParts;
  readonly #shard: number;
  readonly #recent = new RecentTurns();
  readonly #waiting: WaitingTurn[] = [];

  readonly openSeq: number;

  /** The turns of an earlier thread of the shard become durable first. */
  constructor(shard: number, parts: FragileJournalParts) {
    this.#parts = parts;
    this.#shard = shard;
    parts.journal.sync();
    this.openSeq = parts.journal.entries.length;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= WAITING_MAX;
  }

  commit(events: readonly UnnumberedEvent[], touched: readonly ParentState[], release: Release): void {
    if (events.length === 0) {
      if (this.#waiting.length === 0) release([]);
      else this.#waiting.push({ release, numbered: [] });
      return;
    }
    this.#parts.faults.pass('before sync');
    const turn: WaitingTurn = { release, numbered: null };
    this.#waiting.push(turn);
    const noteSeq = this.#recent.add(events, touched);
    const onDurable = (numbered: readonly NumberedEvent[]): void => {
      this.#parts.onTurn(numbered);
      turn.numbered = numbered;
      noteSeq(numbered.at(-1)!.envelope.seq);
    };
    this.#parts.journal.handOver({ producer: this.#shard, events, touched, onDurable });
    if (events.some(({ event }) => CHANGES.has(event.kind))) this.#parts.faults.pass('change handed over');
  }

  releaseDurable(): void {
    const { journal, faults } = this.#parts;
    syncSome(this.#parts, this.#shard, this.#waiting.length);
    for (let turn = this.#waiting[0]; turn !== undefined && turn.numbered !== null; turn = this.#waiting[0]) {
      this.#waiting.shift();
      if (turn.numbered.length > 0) faults.pass('after sync');
      for (const event of turn.numbered) this.#parts.onReleased(event);
      turn.release(turn.numbered);
    }
    this.#recent.forget(journal.entries.length);
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#recent.hasTrade(orderId, child, tradeId) || this.#parts.journal.hasTrade(orderId, child, tradeId);
  }

  state(orderId: OrderId): ParentState | null {
    return this.#recent.endedState(orderId) ?? this.#parts.journal.state(orderId);
  }

  openParents(ownsSlot: (slot: number) => boolean): Iterable<ParentState> {
    return this.#parts.journal.openParents(ownsSlot);
  }
}

/** The journal of the main thread, which dies only with its process. */
export class LateJournal implements CreateJournal {
  readonly #parts: FragileJournalParts;
  readonly #durable: (() => void)[] = [];
  #waitingCount = 0;

  constructor(parts: FragileJournalParts) {
    this.#parts = parts;
  }

  encode(event: UnnumberedEvent): Uint8Array {
    return encodeUnnumberedEvent(event);
  }

  append(event: UnnumberedEvent, _encoded: Uint8Array, release: (event: NumberedEvent) => void): boolean {
    if (this.#waitingCount >= CREATES_WAITING_MAX) return false;
    if (!isOrderEvent(event.event)) throw new Error('the main thread creates orders only');
    this.#waitingCount += 1;
    const onDurable = (numbered: readonly NumberedEvent[]): void => {
      this.#parts.onTurn(numbered);
      this.#durable.push(() => {
        this.#parts.onReleased(numbered[0]!);
        release(numbered[0]!);
      });
    };
    const touched = [evolve(null, event.event, event.eventAtMs)];
    this.#parts.journal.handOver({ producer: 'main', events: [event], touched, onDurable });
    return true;
  }

  releaseDurable(): void {
    syncSome(this.#parts, 'main', this.#waitingCount);
    for (const release of this.#durable.splice(0)) {
      this.#waitingCount -= 1;
      release();
    }
  }
}
