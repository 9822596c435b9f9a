import type { UnnumberedEvent } from '../../domain/event.js';
import { encodeUnnumberedEvent } from '../../wire/codec/envelope.js';
import type { Leader } from '../leader.js';
import type { CreateJournal, NumberedEvent } from '../port.js';
import { TurnProducer, type TurnProducerOptions } from './turn-producer.js';

interface IntakeJournalOptions extends Omit<TurnProducerOptions, 'pause'> {
  /** Calls back at the end of this turn of the event loop. */
  readonly atEndOfTurn: (run: () => void) => void;
  /** Writes few creates in this thread. Default: the journal thread writes all of them. */
  readonly leader?: Leader;
  /** Called when creates have become durable in this thread: release them. */
  readonly onLed?: () => void;
}

/**
 * The journal for the main thread, which never waits for the journal thread. At the end of one turn of the event loop
 * it writes few creates itself, or wakes the journal thread once. A failed journal releases nothing more.
 */
export class IntakeJournal implements CreateJournal {
  readonly #producer: TurnProducer;
  readonly #atEndOfTurn: (run: () => void) => void;
  readonly #leader: Leader | null;
  readonly #onLed: () => void;
  #isWaking = false;
  #isReleasing = false;

  constructor({ atEndOfTurn, leader, onLed = () => undefined, ...options }: IntakeJournalOptions) {
    this.#producer = new TurnProducer(options);
    this.#atEndOfTurn = atEndOfTurn;
    this.#leader = leader ?? null;
    this.#onLed = onLed;
  }

  encode(event: UnnumberedEvent): Uint8Array {
    return encodeUnnumberedEvent(event);
  }

  append(event: UnnumberedEvent, encoded: Uint8Array, release: (event: NumberedEvent) => void): boolean {
    if (this.#producer.isFailed || this.#producer.isBehind) return false;
    if (!this.#producer.tryAppend(event, encoded, ([numbered]) => release(numbered!))) return false;
    if (this.#isWaking) return true;
    this.#isWaking = true;
    if (!this.#isReleasing) this.#atEndOfTurn(this.#wake);
    return true;
  }

  releaseDurable(): void {
    if (!this.#producer.isFailed) this.#producer.releaseDurable();
  }

  readonly #wake = (): void => {
    this.#isWaking = false;
    if (!this.#leader?.tryLead(this.#producer.waitingCount)) return this.#producer.wake();
    this.#isReleasing = true;
    this.#onLed();
    this.#isReleasing = false;
    if (!this.#isWaking) return undefined;
    // Creates that begin in a release go to the journal thread. Otherwise the event loop might not turn for long.
    this.#isWaking = false;
    return this.#producer.wake();
  };
}
