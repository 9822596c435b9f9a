import type { Instrument } from '../../src/domain/instrument.js';
import { CATALOGUE } from './listed.js';
import type { TrueFill } from './venue-truth.js';

/** An asset of an account at a venue, as a count of 10^-18. */
export interface Balance {
  readonly total: bigint;
  readonly free: bigint;
}

/** Opening balances of an account at each venue, in whole units. */
const OPENING: ReadonlyMap<string, bigint> = new Map([
  ['USDT', 1_000_000n],
  ['BTC', 10n],
  ['ETH', 100n],
  ['SOL', 1_000n],
]);
const ASSET_DIGITS = 18;
/** Divisor of a position's cost that gives its margin. */
const LEVERAGE = 10n;

/** A net position in lots and its cost in lot-ticks. Both are negative when it is short. */
interface Position {
  net: bigint;
  cost: bigint;
}

/**
 * 10. Total and free balance of each asset while no order rests: the opening balance and all fills. The venues do not
 * share this arithmetic. `fills`: all fills of the account at the venue.
 */
export function balancesAfter(fills: readonly TrueFill[]): Map<string, Balance> {
  const balances = new Map<string, Balance>();
  const credit = (asset: string, total: bigint, free: bigint = total): void => {
    const before = balances.get(asset) ?? { total: 0n, free: 0n };
    balances.set(asset, { total: before.total + total, free: before.free + free });
  };
  for (const [asset, units] of OPENING) credit(asset, units * 10n ** BigInt(ASSET_DIGITS));
  const positions = new Map<Instrument, Position>();
  // Trade ids of an instrument increase with its trades.
  for (const { submission, fill } of fills.toSorted((one, other) => one.fill.tradeId - other.fill.tradeId)) {
    const instrument = CATALOGUE.at(submission.instrument);
    const { base, quote, quantityPrecision } = instrument;
    const lots = submission.side === 'BUY' ? BigInt(fill.quantity) : -BigInt(fill.quantity);
    credit(quote, 0n - fill.fee);
    if (instrument.assetCategory === 'SPOT') {
      credit(base, scaled(lots, quantityPrecision));
      credit(quote, moneyOf(-lots * BigInt(fill.price), instrument));
    } else {
      const position = positions.get(instrument) ?? { net: 0n, cost: 0n };
      positions.set(instrument, position);
      credit(quote, moneyOf(trade(position, lots, BigInt(fill.price)), instrument));
    }
  }
  for (const [instrument, { cost }] of positions) {
    credit(instrument.quote, 0n, -(moneyOf(absolute(cost), instrument) / LEVERAGE));
  }
  return balances;
}

/** Adds the trade and returns its realised profit in lot-ticks. A closed part releases its share of the cost. */
function trade(position: Position, lots: bigint, price: bigint): bigint {
  const { net } = position;
  const isClosing = net > 0n !== lots > 0n && net !== 0n;
  const closing = !isClosing ? 0n : absolute(lots) < absolute(net) ? lots : -net;
  // Whole lot-ticks, truncated towards zero.
  const costBack = closing === 0n ? 0n : (position.cost * absolute(closing)) / absolute(net);
  position.cost += (lots - closing) * price - costBack;
  position.net += lots;
  return closing === 0n ? 0n : -closing * price - costBack;
}

function moneyOf(lotTicks: bigint, { quantityPrecision, pricePrecision }: Instrument): bigint {
  return scaled(lotTicks, quantityPrecision + pricePrecision);
}

function scaled(units: bigint, digits: number): bigint {
  return units * 10n ** BigInt(ASSET_DIGITS - digits);
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
