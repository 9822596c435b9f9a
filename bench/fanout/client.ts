import { monotonicUs } from '../../src/runtime/clock.js';
import { stampUsIn, tickerPath, tickerRequest, tickers } from './tickers.js';
import { FrameSocket } from './frame-socket.js';

/** Options of one round of subscribers: the JSON text of the first argument. */
export interface FanoutOrder {
  readonly port: number;
  readonly subscriberCount: number;
  /** Number of markets that each subscriber follows. */
  readonly tickerCount: number;
  readonly durationMs: number;
  /** True to read the stamp of each frame; false to count frames only. */
  readonly readsStamps: boolean;
}

/** Result of a round, as JSON on standard output. Percentiles are in microseconds, null without stamps. */
export interface FanoutSight {
  readonly deliveriesPerS: number;
  readonly bytesPerDelivery: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** Frames per ticker that a subscriber receives before the measurement: the acknowledgement and a first tick. */
const FRAMES_BEFORE_START = 2;
const CONNECTS_AT_ONCE = 100;
const SETTLE_MS = 100;

/** Many subscribers in one process. Counts the frames and measures their latency. */
class Subscribers {
  readonly #order: FanoutOrder;
  readonly #sockets: FrameSocket[] = [];
  readonly #latenciesUs: number[] = [];
  #deliveries = 0;
  #bytes = 0;
  #isCounting = false;

  constructor(order: FanoutOrder) {
    this.#order = order;
  }

  async connect(): Promise<void> {
    const { subscriberCount } = this.#order;
    while (this.#sockets.length < subscriberCount) {
      const first = this.#sockets.length;
      const count = Math.min(CONNECTS_AT_ONCE, subscriberCount - first);
      const opening = Array.from({ length: count }, (_, index) => this.#connectOne(first + index));
      this.#sockets.push(...(await Promise.all(opening)));
    }
    await pause(SETTLE_MS);
  }

  async watch(): Promise<FanoutSight> {
    const startUs = monotonicUs();
    this.#isCounting = true;
    await pause(this.#order.durationMs);
    this.#isCounting = false;
    const seconds = (monotonicUs() - startUs) / 1e6;
    for (const socket of this.#sockets) socket.close();
    const sorted = this.#latenciesUs.sort((left, right) => left - right);
    return {
      deliveriesPerS: this.#deliveries / seconds,
      bytesPerDelivery: this.#bytes / this.#deliveries,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
    };
  }

  /** Resolves when the subscriber has received all frames that precede the measurement. */
  #connectOne(subscriber: number): Promise<FrameSocket> {
    const { port, tickerCount } = this.#order;
    const awaited = FRAMES_BEFORE_START * tickerCount;
    return new Promise((resolve, reject) => {
      let seen = 0;
      const onFrame = (bytes: Buffer, from: number, to: number): void => {
        seen += 1;
        if (seen === awaited) opening.then(resolve, reject);
        if (this.#isCounting) this.#note(bytes, from, to);
      };
      const opening = FrameSocket.open({ port, path: tickerPath(subscriber), onFrame });
      opening.then((socket) => tickers(tickerCount).forEach((one) => socket.send(tickerRequest(one))), reject);
    });
  }

  #note(bytes: Buffer, from: number, to: number): void {
    this.#deliveries += 1;
    this.#bytes += to - from;
    if (!this.#order.readsStamps) return;
    const stampUs = stampUsIn(bytes, from, to);
    if (stampUs !== null) this.#latenciesUs.push(monotonicUs() - stampUs);
  }
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.floor(sorted.length * share)] ?? null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

const subscribers = new Subscribers(JSON.parse(process.argv[2] ?? '') as FanoutOrder);
await subscribers.connect();
console.log(JSON.stringify(await subscribers.watch()));
process.exit(0);
