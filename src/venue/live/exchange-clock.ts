import { CLOCK_ROUND_TRIP_MS_MAX, CLOCK_TRIES_MAX } from '../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { ClockReading } from './live-exchange.js';

/** The clock of an exchange, as far as it was measured. Times of requests are taken from it. */
export class ExchangeClock {
  readonly #nowMs: () => EpochMs;
  #offsetMs = 0;

  constructor(nowMs: () => EpochMs) {
    this.#nowMs = nowMs;
  }

  /** Exchange's clock minus ours; 0 before the first measurement. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  exchangeMs(): number {
    return this.#nowMs() + this.#offsetMs;
  }

  /**
   * Measures the clock by requests for its time until the round trip is short enough. The offset may be wrong by half of the
   * round trip, and the fence of an order without an answer relies on it. The first request of a connection is slow: the next
   * one is sent at once. Rejected: no answer, or only slow ones.
   */
  async measure(serverMs: () => Promise<OrRejection<number>>): Promise<OrRejection<ClockReading>> {
    for (let tries = 1; ; tries += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const reading = await this.#read(serverMs);
      if (isRejected(reading)) return reading;
      const { offsetMs, roundTripMs } = reading;
      if (roundTripMs <= CLOCK_ROUND_TRIP_MS_MAX) {
        this.#offsetMs = offsetMs;
        return reading;
      }
      if (tries < CLOCK_TRIES_MAX) continue;
      const rule = `at most ${CLOCK_ROUND_TRIP_MS_MAX} ms, so that its error is within the margin of the fence`;
      return reject('EXCHANGE_ERROR', `the time of the exchange came after ${roundTripMs} ms, not ${rule}`);
    }
  }

  async #read(serverMs: () => Promise<OrRejection<number>>): Promise<OrRejection<ClockReading>> {
    const sentAtMs = this.#nowMs();
    const timeMs = await serverMs();
    if (isRejected(timeMs)) return timeMs;
    const roundTripMs = (this.#nowMs() - sentAtMs) as DurationMs;
    return { offsetMs: timeMs - (sentAtMs + roundTripMs / 2), roundTripMs };
  }
}
