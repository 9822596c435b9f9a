import fc from 'fast-check';
import type { Side } from '../../../src/domain/order.js';
import type { Lots } from '../../../src/domain/quantity.js';
import { playAction, randomActions, type Played } from '../random-actions.js';
import type { SimulatedExchange } from '../simulated-exchange.js';
import type { SetMarks } from './set-marks.js';

/** Actions of a random run besides orders: jumps of the mark price, and funding. */
export type FuturesPlayed =
  | Played
  | { readonly kind: 'mark'; readonly percent: number; readonly ratePpm: number }
  | { readonly kind: 'fund'; readonly times: number }
  /** A market order for a given share of the largest position that the account can carry. */
  | { readonly kind: 'bet'; readonly account: string; readonly side: Side; readonly share: number };

const FUNDING_MS = 8 * 3600 * 1000;
const ACCOUNTS = ['alice', 'bob', 'carol/x', 'carol'];

export function futuresActions(): fc.Arbitrary<FuturesPlayed[]> {
  const account = fc.constantFrom(...ACCOUNTS);
  const moves = fc.oneof(
    fc.record({
      kind: fc.constant('mark' as const),
      percent: fc.oneof(fc.constant(100), fc.integer({ min: 40, max: 220 })),
      ratePpm: fc.integer({ min: -7_500, max: 7_500 }),
    }),
    fc.record({ kind: fc.constant('fund' as const), times: fc.integer({ min: 1, max: 12 }) }),
    fc.record({
      kind: fc.constant('bet' as const),
      account,
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      share: fc.double({ min: 0.2, max: 1, noNaN: true }),
    }),
  );
  const trading = randomActions({ restarts: true });
  const rounds = fc.array(fc.tuple(fc.array(moves, { maxLength: 6 }), trading), {
    minLength: 1,
    maxLength: 4,
  });
  return rounds.map((each) => each.flatMap(([moves, trades]) => [...moves, ...trades]));
}

export function playFutures(venue: SimulatedExchange, marks: SetMarks, action: FuturesPlayed): void {
  const { market } = venue;
  switch (action.kind) {
    case 'mark':
      marks.price = Math.max(1, Math.round((market.bid * action.percent) / 100));
      marks.ratePpm = action.ratePpm;
      return venue.pass(3_000, 1_000);
    case 'fund':
      return venue.pass(action.times * FUNDING_MS, action.times * FUNDING_MS);
    case 'bet':
      return bet(venue, action);
    case 'submit':
    case 'cancel':
    case 'resubmit':
    case 'pass':
    case 'restart':
      return playAction(venue, action);
    default:
      action satisfies never;
  }
}

function bet(venue: SimulatedExchange, { account, side, share }: Extract<FuturesPlayed, { kind: 'bet' }>): void {
  const { instrument, market } = venue;
  const { quantityPrecision, pricePrecision } = instrument;
  const carried = Number(venue.balance('USDT', account).free / 10n ** 18n) * 20 * share;
  const lots = Math.floor((carried * 10 ** (quantityPrecision + pricePrecision)) / market.bid);
  const quantity = Math.max(1, Math.min(lots, instrument.filters.marketQuantityMax)) as Lots;
  const order = venue.submission({ account, side, type: 'MARKET', timeInForce: 'IOC', quantity });
  venue.placed.push(order);
  venue.handle({ kind: 'Submit', ...order });
}
