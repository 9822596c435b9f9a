import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import type { TradedInstrument } from '../../../../src/venue/live/wire-guard.js';
import { submissionOf } from '../lossy-exchange.js';

const GRID = { quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 };
export const SPOT: TradedInstrument = { ...GRID, exchangeSymbol: 'BTCUSDT', isFuture: false };
export const USDM: TradedInstrument = {
  ...GRID,
  exchangeSymbol: 'BTCUSDT',
  isFuture: true,
  quantityPrecision: 3,
  pricePrecision: 1,
};
const PREVENTIONS = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'] as const;

/** Every child that a strategy can place at the product. */
export function children(to: TradedInstrument): ChildSubmission[] {
  const kinds = [
    { type: 'LIMIT', timeInForce: 'GTC', postOnly: false, limitPrice: 6_123_450 as Ticks },
    { type: 'LIMIT', timeInForce: 'GTC', postOnly: true, limitPrice: 6_123_450 as Ticks },
    { type: 'LIMIT', timeInForce: 'IOC', postOnly: false, limitPrice: 6_123_405 as Ticks },
    { type: 'MARKET', timeInForce: 'IOC', postOnly: false, limitPrice: null },
  ] as const;
  const all: ChildSubmission[] = [];
  for (const side of ['BUY', 'SELL'] as const) {
    for (const kind of kinds) {
      for (const reduceOnly of to.isFuture ? [false, true] : [false]) {
        for (const selfTradePrevention of PREVENTIONS) {
          all.push({
            ...submissionOf(1, 17),
            ...kind,
            side,
            reduceOnly,
            selfTradePrevention,
            quantity: 12_340 as Lots,
          });
        }
      }
    }
  }
  return all;
}
