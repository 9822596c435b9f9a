import type { UnnumberedEvent } from '../domain/event.js';
import { encodeUnnumberedEvent } from '../wire/codec/envelope.js';
import type { CreateJournal, NumberedEvent } from './port.js';
import { TurnProducer, type TurnProducerOptions } from './turn-producer.js';

/** The journal for the main thread, which never waits for it. A failed journal releases nothing more. */
export class IntakeJournal implements CreateJournal {
  readonly #producer: TurnProducer;

  constructor(options: Omit<TurnProducerOptions, 'pause'>) {
    this.#producer = new TurnProducer(options);
  }

  encode(event: UnnumberedEvent): Uint8Array {
    return encodeUnnumberedEvent(event);
  }

  append(event: UnnumberedEvent, encoded: Uint8Array, release: (event: NumberedEvent) => void): boolean {
    if (this.#producer.isFailed || this.#producer.isBehind) return false;
    return this.#producer.tryAppend(event, encoded, ([numbered]) => release(numbered!));
  }

  releaseDurable(): void {
    if (!this.#producer.isFailed) this.#producer.releaseDurable();
  }
}
