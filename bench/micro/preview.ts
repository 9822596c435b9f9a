import { previewOf } from '../../src/pretrade/preview.js';
import type { PreviewedOrder } from '../../src/pretrade/previewed-order.js';
import { previewText } from '../../src/api/order/order-preview.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { BINS_PER_DAY } from '../../src/strategy/volume/profile.js';
import { MARKET as SAMPLE_MARKET } from '../../test/pretrade/previewed.js';
import { repeated, type MicroGroup } from './case.js';
import { INSTRUMENT, NOW_MS, parentOrder } from './sample.js';
import { withTerms } from '../../test/domain/plain-order.js';

const DAY_MS = 24 * 3600 * 1000;
const MARKET = { ...SAMPLE_MARKET, atMs: NOW_MS };
const PROFILE = {
  shares: Array.from({ length: BINS_PER_DAY }, () => 1 / BINS_PER_DAY),
  dailyVolume: 86_400_000 as Lots,
};

const AUTOMATIC = { type: 'AUTOMATIC' } as const;
const ONE_PERCENT = { type: 'PERCENTAGE', ppmOfPercent: 1_000_000 } as const;

type Planned = 'TWAP' | 'VWAP' | 'IS' | 'POV';

/** Computes a preview and its answer over long schedules: at most 1 ms each. */
export function previewCases(): MicroGroup {
  return repeated({
    'preview of a TWAP of a day': () => answered('TWAP'),
    'preview of a VWAP of a day': () => answered('VWAP'),
    'preview of an IS of a day': () => answered('IS'),
    'preview of a POV of a day': () => answered('POV'),
  });
}

function answered(strategy: Planned): string {
  const preview = previewOf(previewed(strategy));
  return previewText({ instrument: INSTRUMENT, existingOrderId: null, rejections: [], preview });
}

function previewed(strategy: Planned): PreviewedOrder {
  const order = withTerms(parentOrder(1), {
    strategy,
    quantity: 800_000 as Lots,
    limitPrice: null,
    clip: strategy === 'POV' ? ONE_PERCENT : AUTOMATIC,
    durationMs: DAY_MS as DurationMs,
    endAtMs: (NOW_MS + DAY_MS) as EpochMs,
  });
  return { order, instrument: INSTRUMENT, market: MARKET, depth: null, profile: PROFILE, nowMs: NOW_MS };
}
