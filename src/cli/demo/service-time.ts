import type { SluiceClient } from '../../client/index.js';

/** The service's clock as seen from here: under a fast simulation it runs faster than real time. */
export class ServiceTime {
  readonly #originServiceMs: number;
  readonly #originRealMs: number;
  readonly #speed: number;

  private constructor(originServiceMs: number, originRealMs: number, speed: number) {
    this.#originServiceMs = originServiceMs;
    this.#originRealMs = originRealMs;
    this.#speed = speed;
  }

  static async of(client: SluiceClient, speed: number): Promise<ServiceTime> {
    const { service_time: serviceMs, timestamp } = await client.ping();
    return new ServiceTime(serviceMs ?? timestamp, Date.now(), speed);
  }

  /** Epoch milliseconds of service time. */
  nowMs(): number {
    return this.#originServiceMs + (Date.now() - this.#originRealMs) * this.#speed;
  }
}
