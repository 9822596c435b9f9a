import type { Lots, Ticks } from '../../../domain/quantity.js';
import type { EpochMs } from '../../../domain/time.js';
import type { Level } from '../json/json-fields.js';
import type { MarketRecord } from '../normal/records.js';
import { ppmOf, type UnitScale } from '../unit-scale.js';
import type { BookLevel } from './live-book.js';
import type { PaperMarket } from './paper-market.js';

/**
 * Applies a record of a real stream to a paper market. Values between two steps are rounded to our disadvantage: bids
 * down, asks up, quantities down. Records without a meaning for the matching have no effect.
 */
export function applyRecord(record: MarketRecord, market: PaperMarket, nowMs: EpochMs): void {
  const { scale } = market;
  switch (record.kind) {
    case 'TopOfBook':
      return market.onTouch(bidOf(scale, record.bid), askOf(scale, record.ask), nowMs);
    case 'Depth':
      return market.onDepth(
        record.bids.map((level) => bidOf(scale, level)),
        record.asks.map((level) => askOf(scale, level)),
        nowMs,
      );
    case 'PublicTrade': {
      const price = positive(record.takerSide === 'SELL' ? scale.ticksAbove(record.price) : scale.ticks(record.price));
      const quantity = positive(scale.lots(record.quantity));
      if (price > 0 && quantity > 0) market.onTrade(price, quantity, record.takerSide, nowMs);
      return undefined;
    }
    case 'MarkPrice': {
      const price = positive(record.markPrice === null ? null : scale.ticks(record.markPrice));
      if (price > 0) market.onMark(price, (record.fundingRate === null ? null : ppmOf(record.fundingRate)) ?? 0);
      return undefined;
    }
    case 'Candle':
    case 'OpenInterest':
      return undefined;
    default:
      return record satisfies never;
  }
}

function bidOf(scale: UnitScale, { price, quantity }: Level): BookLevel {
  return { price: positive(scale.ticks(price)), quantity: positive(scale.lots(quantity)) };
}

function askOf(scale: UnitScale, { price, quantity }: Level): BookLevel {
  return { price: positive(scale.ticksAbove(price)), quantity: positive(scale.lots(quantity)) };
}

/** 0 for a text that is no positive decimal. */
function positive<Steps extends Lots | Ticks>(steps: Steps | null): Steps {
  return Math.max(0, steps ?? 0) as Steps;
}
