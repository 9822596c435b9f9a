import type { Candle } from '../../src/model/candle.js';
import type { AccountId, CorrelationId } from '../../src/model/ids.js';
import { InstrumentCatalogue, type Instrument } from '../../src/model/instrument.js';
import type { VolumeProfile } from '../../src/model/intent.js';
import type { EpochMs } from '../../src/model/time.js';
import { VolumeStudy, type CandlePage } from '../../src/strategy/volume-study.js';
import { MemoryVenueStore, SimulatedVenues } from '../../src/venue/index.js';
import { CandleMemory, type KnownCandles } from '../quality/candle-memory.js';

const ACCOUNT = 'desk' as AccountId;
const CORRELATION = 1 as CorrelationId;
const ORIGIN = 0;
const SEED = 1;

/** What the days that are over say of a market's volume, to previews and to the strategies that work orders in it. */
export interface KnownVolume {
  /** null: too little history. */
  readonly profile: VolumeProfile | null;
  /** That it was learnt from. */
  readonly candles: KnownCandles;
}

/**
 * What the candles of a market say of its volume, as the service learns it. One world stands for all: their pasts differ
 * in their noise alone, and take longer to make up than an order to be worked.
 */
export class KnownVolumes {
  readonly #nowMs: EpochMs;
  readonly #known = new Map<Instrument, KnownVolume>();

  constructor(nowMs: EpochMs) {
    this.#nowMs = nowMs;
  }

  of(instrument: Instrument): KnownVolume {
    let known = this.#known.get(instrument);
    if (known === undefined) this.#known.set(instrument, (known = this.#learn(instrument)));
    return known;
  }

  #learn(instrument: Instrument): KnownVolume {
    const candles: KnownCandles = new Map();
    const study = new VolumeStudy(this.#nowMs);
    while (!study.isComplete) study.add(pageOf(instrument, study.page, { candles, nowMs: this.#nowMs }));
    return { profile: study.conclude(), candles };
  }
}

function pageOf(
  instrument: Instrument,
  page: CandlePage,
  { candles, nowMs }: { readonly candles: KnownCandles; readonly nowMs: EpochMs },
): readonly Candle[] {
  const venues = new SimulatedVenues({
    catalogue: new InstrumentCatalogue([instrument]),
    seed: SEED,
    store: new MemoryVenueStore(),
    startMs: nowMs,
    isWatched: () => false,
    balanceHome: () => ORIGIN,
    onRepeated: () => undefined,
  });
  const past = new CandleMemory(venues, candles);
  const question = { account: ACCOUNT, venue: instrument.venue, instrument: instrument.index, ...page };
  past.handle({ kind: 'QueryCandles', correlationId: CORRELATION, ...question }, ORIGIN, nowMs);
  for (;;) {
    let told: readonly Candle[] | null = null;
    past.advance(nowMs, {
      report: (report) => {
        if (report.kind === 'Candles') told = report.candles;
      },
      market: () => undefined,
      trade: () => undefined,
    });
    if (told !== null) return told;
  }
}
