import { CLOCK_DRIFT_PPM, CLOCK_ROUND_TRIP_MS_MAX, CLOCK_TRIES_MAX } from '../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { ClockReading } from './live-exchange.js';

/** The exchange's clock at one moment of our monotonic clock. */
interface Measured {
  readonly exchangeMs: number;
  readonly monotonicMs: number;
  readonly roundTripMs: DurationMs;
}

const PPM = 1_000_000;
/** Exchange and reading state whole milliseconds. */
const GRAIN_MS = 1;

/**
 * The clock of an exchange, as far as it was measured. Times of requests are taken from it. Between two measurements it
 * follows the monotonic clock: the service's own may run fast or slow to correct itself.
 */
export class ExchangeClock {
  readonly #nowMs: () => EpochMs;
  readonly #monotonicMs: () => number;
  #measured: Measured | null = null;

  constructor(nowMs: () => EpochMs, monotonicMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Exchange's clock minus ours; 0 before the first measurement. */
  get offsetMs(): number {
    return this.#measured === null ? 0 : this.exchangeMs() - this.#nowMs();
  }

  /** Largest error of `exchangeMs`: half of the round trip, and what two clocks drift apart. Infinity: not measured. */
  get errorMs(): number {
    if (this.#measured === null) return Infinity;
    const { monotonicMs, roundTripMs } = this.#measured;
    return roundTripMs / 2 + GRAIN_MS + ((this.#monotonicMs() - monotonicMs) * CLOCK_DRIFT_PPM) / PPM;
  }

  exchangeMs(): number {
    if (this.#measured === null) return this.#nowMs();
    const { exchangeMs, monotonicMs } = this.#measured;
    return exchangeMs + this.#monotonicMs() - monotonicMs;
  }

  /**
   * Measures the clock by requests for its time until the round trip is short enough. The offset may be wrong by half
   * of the round trip, and the fence of an order without an answer relies on it. The first request of a connection is
   * slow: the next one is sent at once. Rejected: no answer, or only slow ones.
   */
  async measure(serverMs: () => Promise<OrRejection<number>>): Promise<OrRejection<ClockReading>> {
    for (let tries = 1; ; tries += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const reading = await this.#read(serverMs);
      if (isRejected(reading)) return reading;
      const { roundTripMs } = reading;
      if (roundTripMs <= CLOCK_ROUND_TRIP_MS_MAX) {
        this.#measured = reading;
        return { offsetMs: this.offsetMs, roundTripMs };
      }
      if (tries < CLOCK_TRIES_MAX) continue;
      const rule = `at most ${CLOCK_ROUND_TRIP_MS_MAX} ms, so that its error is small`;
      return reject('EXCHANGE_ERROR', `the time of the exchange came after ${roundTripMs} ms, not ${rule}`);
    }
  }

  async #read(serverMs: () => Promise<OrRejection<number>>): Promise<OrRejection<Measured>> {
    const sentAtMs = this.#monotonicMs();
    const exchangeMs = await serverMs();
    if (isRejected(exchangeMs)) return exchangeMs;
    const roundTripMs = (this.#monotonicMs() - sentAtMs) as DurationMs;
    return { exchangeMs, monotonicMs: sentAtMs + roundTripMs / 2, roundTripMs };
  }
}
