import { VENUES, type Venue } from '../../model/exchange.js';
import { FAULT_WITHHELD_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueReport } from '../../model/venue-message.js';
import { anythingAt } from './armed-rule.js';
import type { Outage } from './fault-rule.js';
import type { Outages } from './outages.js';

const CUT_OFF: readonly Outage[] = ['disconnect', 'restart'];

export interface VenueLinksParts {
  readonly outages: Outages;
  /** Destinations that hear of every link. */
  readonly listeners: readonly number[];
  readonly tell: (report: VenueReport, destination: number) => void;
}

/** Which venues can be reached, and what is kept for those that will be again. */
export class VenueLinks {
  readonly #parts: VenueLinksParts;
  /** null before anything was told: what an earlier process has told last may not hold any more. */
  #down: ReadonlySet<Venue> | null = null;
  #withheld: { readonly report: VenueReport; readonly destination: number }[] = [];

  constructor(parts: VenueLinksParts) {
    this.#parts = parts;
  }

  isCutOff(venue: Venue, nowMs: EpochMs): boolean {
    return this.#parts.outages.isOn(CUT_OFF, anythingAt(venue), nowMs);
  }

  isClosed(venue: Venue, nowMs: EpochMs): boolean {
    return this.#parts.outages.isOn(['maintenance'], anythingAt(venue), nowMs);
  }

  /** An outage has begun or ended: tells what links went or came back, and what was withheld meanwhile. */
  review(nowMs: EpochMs): void {
    const before = this.#down;
    const down = new Set(VENUES.filter((venue) => this.isCutOff(venue, nowMs)));
    this.#down = down;
    for (const venue of VENUES) {
      if (before?.has(venue) === down.has(venue)) continue;
      for (const listener of this.#parts.listeners) this.#tell(venue, listener, nowMs);
    }
    this.#release(nowMs);
  }

  /** Tells an asker again that the venue is down: a shard that has just started does not know yet. */
  remind(venue: Venue, asker: number, nowMs: EpochMs): void {
    if (this.#down?.has(venue) === true && this.#parts.listeners.includes(asker)) this.#tell(venue, asker, nowMs);
  }

  /** Keeps a report until its venue can be reached again. */
  withhold(report: VenueReport, destination: number): void {
    this.#withheld.push({ report, destination });
    if (this.#withheld.length > FAULT_WITHHELD_MAX) this.#withheld.shift();
  }

  #release(nowMs: EpochMs): void {
    const withheld = this.#withheld;
    this.#withheld = [];
    for (const { report, destination } of withheld) {
      const isSilent = this.isCutOff(report.venue, nowMs) || this.isClosed(report.venue, nowMs);
      if (isSilent) this.withhold(report, destination);
      else this.#parts.tell(report, destination);
    }
  }

  #tell(venue: Venue, destination: number, atMs: EpochMs): void {
    this.#parts.tell({ kind: 'Link', venue, isUp: this.#down?.has(venue) !== true, atMs }, destination);
  }
}
