import type { UnnumberedEvent } from '../../domain/event.js';
import { encodeUnnumberedEvent } from '../../wire/codec/envelope.js';
import type { CreateJournal, NumberedEvent } from '../port.js';
import { TurnProducer, type TurnProducerOptions } from './turn-producer.js';

interface IntakeJournalOptions extends Omit<TurnProducerOptions, 'pause'> {
  /** Calls back at the end of this turn of the event loop. */
  readonly atEndOfTurn: (run: () => void) => void;
}

/**
 * The journal for the main thread, which never waits for it. The creates of one turn of the event loop wake the journal
 * thread once. A failed journal releases nothing more.
 */
export class IntakeJournal implements CreateJournal {
  readonly #producer: TurnProducer;
  readonly #atEndOfTurn: (run: () => void) => void;
  #isWaking = false;

  constructor({ atEndOfTurn, ...options }: IntakeJournalOptions) {
    this.#producer = new TurnProducer(options);
    this.#atEndOfTurn = atEndOfTurn;
  }

  encode(event: UnnumberedEvent): Uint8Array {
    return encodeUnnumberedEvent(event);
  }

  append(event: UnnumberedEvent, encoded: Uint8Array, release: (event: NumberedEvent) => void): boolean {
    if (this.#producer.isFailed || this.#producer.isBehind) return false;
    if (!this.#producer.tryAppend(event, encoded, ([numbered]) => release(numbered!))) return false;
    if (this.#isWaking) return true;
    this.#isWaking = true;
    this.#atEndOfTurn(this.#wake);
    return true;
  }

  releaseDurable(): void {
    if (!this.#producer.isFailed) this.#producer.releaseDurable();
  }

  readonly #wake = (): void => {
    this.#isWaking = false;
    this.#producer.wake();
  };
}
