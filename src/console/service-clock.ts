import type { ServerTime } from '../client/wire.js';

interface Reading {
  /** This machine's clock, in the middle between question and answer. */
  readonly localMs: number;
  readonly realMs: number;
  readonly serviceMs: number;
}

/** The clocks of the service, as its pings tell them. Before the first one they are this machine's. */
export class ServiceClock {
  #first: Reading | null = null;
  #latest: Reading | null = null;

  /** Takes an answer, with when it was asked for and came, by this machine's clock. */
  tell({ timestamp, service_time: serviceMs }: ServerTime, askedAtMs: number, answeredAtMs: number): void {
    this.#latest = { localMs: (askedAtMs + answeredAtMs) / 2, realMs: timestamp, serviceMs };
    // A clock that was set meanwhile makes the first reading worthless.
    if (this.#first === null || this.#latest.localMs <= this.#first.localMs) this.#first = this.#latest;
  }

  /** How far the server's clock is before this machine's, in ms; null before the first ping. */
  get skewMs(): number | null {
    return this.#latest === null ? null : Math.round(this.#latest.realMs - this.#latest.localMs);
  }

  /** The server's real time: what requests are signed with. */
  realMs(localMs: number): number {
    return Math.round(localMs + (this.skewMs ?? 0));
  }

  /** Service time, which may run faster than real time. */
  serviceMs(localMs: number): number {
    const [first, latest] = [this.#first, this.#latest];
    if (first === null || latest === null) return localMs;
    const passedMs = latest.realMs - first.realMs;
    const speed = passedMs > 0 ? (latest.serviceMs - first.serviceMs) / passedMs : 1;
    return latest.serviceMs + (localMs - latest.localMs) * speed;
  }
}
