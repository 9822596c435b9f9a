/** The exchange's clock: the machine's clock plus an offset that a test may set. */
export class ExchangeClock {
  /** Added to the machine's clock. A positive value means that the exchange is ahead of its clients. */
  offsetMs = 0;

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }
}
