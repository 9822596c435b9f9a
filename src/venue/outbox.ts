import type { TradePrint } from '../model/market.js';
import type { VenueReport } from '../model/venue-message.js';

interface Letter {
  readonly report: VenueReport;
  readonly destination: number;
}

/** What waits to be made durable before it may leave, in order. */
export class Outbox {
  #letters: Letter[] = [];
  #prints: TradePrint[] = [];

  /** A report without destination is dropped: whoever lost touch asks for the order again and gets all of it. */
  report(report: VenueReport, destination: number | null): void {
    if (destination !== null) this.#letters.push({ report, destination });
  }

  print(print: TradePrint): void {
    this.#prints.push(print);
  }

  takeLetters(): readonly Letter[] {
    const letters = this.#letters;
    this.#letters = [];
    return letters;
  }

  takePrints(): readonly TradePrint[] {
    const prints = this.#prints;
    this.#prints = [];
    return prints;
  }
}
