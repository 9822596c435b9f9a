import type { Instrument, InstrumentIndex } from '../../domain/instrument.js';
import type { Lots } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { AccountRegistry } from '../account/account-registry.js';
import { Wander, type WanderScale } from '../market/hashed-chance.js';
import { profileOf } from '../market/market-profile.js';

/** Open interest of large perpetuals is about a third of the daily turnover. */
const TURNOVER_DAYS = 0.35;
const HOUR_MS = 3_600_000;
/** Logarithmic deviation from that level over days, hours and minutes. */
const WANDER: readonly WanderScale[] = [
  { everyMs: 60 * HOUR_MS, deviation: 0.15 },
  { everyMs: 5 * HOUR_MS, deviation: 0.04 },
  { everyMs: HOUR_MS / 12, deviation: 0.004 },
];

/**
 * Open interest of futures at any instant: that of other participants, a function of the seed, plus our own positions.
 */
export class OpenInterestLevel {
  readonly #seed: number;
  readonly #ownLots: (instrument: InstrumentIndex) => Lots;
  readonly #wanders = new Map<InstrumentIndex, Wander>();

  /** `ownLots`: the larger of our accounts' long and short positions. */
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

/**
 * Open interest of our accounts in a future: the larger of the long and short sums, because the smaller sum is its
 * counterparty.
 */
export function ownLots(accounts: AccountRegistry, instrument: InstrumentIndex): Lots {
  let [long, short] = [0, 0];
  for (const account of accounts.holders()) {
    for (const { net, terms } of account.positions.values()) {
      if (terms.instrument.index !== instrument) continue;
      if (net > 0) long += net;
      else short -= net;
    }
  }
  return Math.max(long, short) as Lots;
}
