import type { Instrument, InstrumentIndex } from '../../model/instrument.js';
import type { Lots } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { profileOf } from '../life/market-profile.js';
import { Wander, type WanderScale } from '../life/wander.js';

/** Open interest of the large perpetuals is about a third of a day's turnover. */
const TURNOVER_DAYS = 0.35;
const HOUR_MS = 3_600_000;
/** How it strays from that level, in logarithms: over days, over hours, over minutes. */
const WANDER: readonly WanderScale[] = [
  { everyMs: 60 * HOUR_MS, deviation: 0.15 },
  { everyMs: 5 * HOUR_MS, deviation: 0.04 },
  { everyMs: HOUR_MS / 12, deviation: 0.004 },
];

/** What is open in futures at any instant: what everybody else holds, a function of the seed, and our own positions. */
export class OpenInterestLevel {
  readonly #seed: number;
  readonly #ownLots: (instrument: InstrumentIndex) => Lots;
  readonly #wanders = new Map<InstrumentIndex, Wander>();

  /** `ownLots`: the larger of what all accounts of ours are long and short. */
  constructor(seed: number, ownLots: (instrument: InstrumentIndex) => Lots) {
    this.#seed = seed;
    this.#ownLots = ownLots;
  }

  lotsAt(instrument: Instrument, atMs: EpochMs): Lots {
    const level = profileOf(instrument).dailyTurnover * TURNOVER_DAYS;
    const others = Math.round(level * Math.exp(this.#wander(instrument).valueAt(atMs)));
    return (others + this.#ownLots(instrument.index)) as Lots;
  }

  #wander({ index, venue, symbol }: Instrument): Wander {
    let wander = this.#wanders.get(index);
    if (wander === undefined) {
      wander = new Wander(`${this.#seed}/open-interest/${venue}/${symbol}`, WANDER);
      this.#wanders.set(index, wander);
    }
    return wander;
  }
}
