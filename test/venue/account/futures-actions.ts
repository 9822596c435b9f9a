import fc from 'fast-check';
import { amountOf } from '../../../src/model/amount.js';
import type { AccountId, CorrelationId } from '../../../src/model/ids.js';
import type { Side } from '../../../src/model/order.js';
import type { MarginMode, PositionMode } from '../../../src/model/position.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import type { AccountRequest } from '../../../src/model/venue-message.js';
import { playAction, randomActions, type Played } from '../random-actions.js';
import type { SimulatedExchange } from '../simulated-exchange.js';
import type { SetMarks } from './set-marks.js';

/** What a random run does beyond trading: settings, transfers, amendments, marks that jump, and time that funds. */
export type FuturesPlayed =
  | Played
  | { readonly kind: 'leverage'; readonly account: string; readonly leverage: number }
  | { readonly kind: 'margin mode'; readonly account: string; readonly marginMode: MarginMode }
  | { readonly kind: 'position mode'; readonly account: string; readonly positionMode: PositionMode }
  | {
      readonly kind: 'transfer';
      readonly from: string;
      readonly to: string;
      readonly units: number;
      readonly id: number;
    }
  | { readonly kind: 'amend'; readonly which: number; readonly share: number; readonly offset: number }
  | { readonly kind: 'mark'; readonly percent: number; readonly ratePpm: number }
  | { readonly kind: 'fund'; readonly times: number }
  /** A market order of a good part of what the account can carry. */
  | { readonly kind: 'bet'; readonly account: string; readonly side: Side; readonly share: number };

const FUNDING_MS = 8 * 3600 * 1000;
const ACCOUNTS = ['alice', 'bob', 'carol/x', 'carol'];

export function futuresActions(): fc.Arbitrary<FuturesPlayed[]> {
  const account = fc.constantFrom(...ACCOUNTS);
  const settings = fc.oneof(
    fc.record({
      kind: fc.constant('leverage' as const),
      account,
      leverage: fc.constantFrom(1, 3, 7, 10, 20, 33, 50, 100),
    }),
    fc.record({
      kind: fc.constant('margin mode' as const),
      account,
      marginMode: fc.constantFrom('CROSS' as const, 'ISOLATED' as const),
    }),
    fc.record({
      kind: fc.constant('position mode' as const),
      account,
      positionMode: fc.constantFrom('ONE_WAY' as const, 'HEDGE' as const),
    }),
    fc.record({
      kind: fc.constant('transfer' as const),
      from: account,
      to: account,
      units: fc.integer({ min: 1, max: 1_000_000 }),
      id: fc.nat({ max: 3 }),
    }),
  );
  const moves = fc.oneof(
    fc.record({
      kind: fc.constant('amend' as const),
      which: fc.nat({ max: 50 }),
      share: fc.double({ min: 0.1, max: 2, noNaN: true }),
      offset: fc.integer({ min: -3, max: 3 }),
    }),
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
  const rounds = fc.array(fc.tuple(fc.array(settings, { maxLength: 3 }), fc.array(moves, { maxLength: 6 }), trading), {
    minLength: 1,
    maxLength: 4,
  });
  return rounds.map((each) => each.flatMap(([before, between, after]) => [...before, ...between, ...after]));
}

export function playFutures(venue: SimulatedExchange, marks: SetMarks, action: FuturesPlayed): void {
  const { instrument, market } = venue;
  switch (action.kind) {
    case 'leverage':
      return ask(venue, action.account, {
        kind: 'SetLeverage',
        instrument: instrument.index,
        leverage: action.leverage,
      });
    case 'margin mode':
      return ask(venue, action.account, {
        kind: 'SetMarginMode',
        instrument: instrument.index,
        marginMode: action.marginMode,
      });
    case 'position mode':
      return ask(venue, action.account, { kind: 'SetPositionMode', positionMode: action.positionMode });
    case 'transfer':
      return ask(venue, action.from, {
        kind: 'Transfer',
        to: action.to as AccountId,
        asset: 'USDT',
        amount: amountOf(action.units, 0),
        transferId: `t ${action.id}`,
      });
    case 'amend': {
      const order = venue.placed[action.which % Math.max(1, venue.placed.length)];
      if (order === undefined) return;
      const { account, venue: at, orderId, child, quantity, limitPrice } = order;
      const price = limitPrice === null ? null : limitPrice + action.offset;
      return venue.handle({
        kind: 'Amend',
        account,
        venue: at,
        orderId,
        child,
        quantity: Math.max(1, Math.round(quantity * action.share)) as Lots,
        limitPrice: price as Ticks | null,
      });
    }
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

/** Sends a request about an account. */
export function ask(venue: SimulatedExchange, account: string, setting: Setting): void {
  const head = { correlationId: 1 as CorrelationId, account: account as AccountId, venue: venue.instrument.venue };
  venue.handle({ ...head, ...setting });
}

export type Setting = Distribute<AccountRequest>;
type Distribute<Request> = Request extends AccountRequest
  ? Omit<Request, 'correlationId' | 'account' | 'venue'>
  : never;
