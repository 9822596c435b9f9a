import type { Candle } from '../../src/model/candle.js';
import type { AccountId, CorrelationId } from '../../src/model/ids.js';
import { InstrumentCatalogue, type Instrument } from '../../src/model/instrument.js';
import type { VolumeProfile } from '../../src/model/intent.js';
import type { EpochMs } from '../../src/model/time.js';
import { VolumeStudy, type CandlePage } from '../../src/strategy/volume-study.js';
import { MemoryVenueStore, SimulatedVenues } from '../../src/venue/index.js';

const ACCOUNT = 'desk' as AccountId;
const CORRELATION = 1 as CorrelationId;
const ORIGIN = 0;
const SEED = 1;

/**
 * What the candles of a market say of its volume, as the service learns it. One world stands for all: their pasts differ
 * in their noise alone, and take longer to make up than an order to be worked.
 */
export class KnownVolumes {
  readonly #nowMs: EpochMs;
  readonly #known = new Map<Instrument, VolumeProfile | null>();

  constructor(nowMs: EpochMs) {
    this.#nowMs = nowMs;
  }

  /** null: too little history. */
  of(instrument: Instrument): VolumeProfile | null {
    const known = this.#known.get(instrument);
    if (known !== undefined) return known;
    const profile = this.#learn(instrument);
    this.#known.set(instrument, profile);
    return profile;
  }

  #learn(instrument: Instrument): VolumeProfile | null {
    const study = new VolumeStudy(this.#nowMs);
    while (!study.isComplete) study.add(pageOf(instrument, study.page, this.#nowMs));
    return study.conclude();
  }
}

function pageOf(instrument: Instrument, page: CandlePage, nowMs: EpochMs): readonly Candle[] {
  const venues = new SimulatedVenues({
    catalogue: new InstrumentCatalogue([instrument]),
    seed: SEED,
    store: new MemoryVenueStore(),
    startMs: nowMs,
    isWatched: () => false,
    balanceHome: () => ORIGIN,
    onRepeated: () => undefined,
  });
  const question = { account: ACCOUNT, venue: instrument.venue, instrument: instrument.index, ...page };
  venues.handle({ kind: 'QueryCandles', correlationId: CORRELATION, ...question }, ORIGIN, nowMs);
  for (;;) {
    let told: readonly Candle[] | null = null;
    venues.advance(nowMs, {
      report: (report) => {
        if (report.kind === 'Candles') told = report.candles;
      },
      market: () => undefined,
      trade: () => undefined,
    });
    if (told !== null) return told;
  }
}
