import type { MultiLegOrderRequest, OrderRequest } from '../../../src/client/index.js';
import type { Random } from '../random.js';
import type { TradedMarket } from './traded-exchange.js';

const STRATEGIES = [
  'TWAP',
  'VWAP',
  'IS',
  'POV',
  'ICEBERG',
  'SCALE',
  'LIMIT',
  'MARKET',
  'TWAP',
  'LIMIT',
  'MARKET',
] as const;
const STYLES = ['PASSIVE', 'HYBRID', 'AGGRESSIVE'] as const;
const URGENCIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
/** Limits near the market trade, the others rest. */
const LIMIT_BPS: readonly number[] = [-150, -5, -2, 0, 2, 5];

interface OrderName {
  readonly exchange: string;
  readonly clientOrderId: string;
}

/** Draws an order of any strategy. */
export function drawOrder({ exchange, clientOrderId }: OrderName, market: TradedMarket, random: Random): OrderRequest {
  const strategy = random.pick(STRATEGIES);
  const side = random.pick(['BUY', 'SELL'] as const);
  const base = {
    client_order_id: clientOrderId,
    exchange: exchange as OrderRequest['exchange'],
    symbol: market.symbol,
    asset_category: market.category,
    side,
    quantity: quantityOf(market, random),
    strategy,
  } as const;
  if (strategy === 'MARKET') return base;
  if (strategy === 'LIMIT') return { ...base, limit_price: limitOf(market, side, random) };
  const duration_seconds = String(2 + random.below(20));
  const trading_style = random.pick(STYLES);
  const clip =
    random.next() < 0.3 ? ({ clip_size_type: 'ORDER_COUNT', clip_size_val: String(2 + random.below(6)) } as const) : {};
  if (strategy === 'SCALE') return { ...base, params: { ...ladderOf(market, side), trading_style } };
  const urgency = strategy === 'IS' ? { urgency: random.pick(URGENCIES) } : {};
  return { ...base, ...clip, params: { ...urgency, duration_seconds, trading_style } };
}

/** Draws a pair of two markets on opposite sides, with and without a leading leg. */
export function drawPair(
  { exchange, clientOrderId }: OrderName,
  markets: readonly [TradedMarket, TradedMarket],
  random: Random,
): MultiLegOrderRequest {
  const sides = random.pick([['BUY', 'SELL'] as const, ['SELL', 'BUY'] as const]);
  const target = `0.0${10 + random.below(40)}`;
  const leader = random.below(3);
  const working = {
    strategy: 'TWAP',
    params: { duration_seconds: String(2 + random.below(8)), trading_style: random.pick(STYLES) },
  } as const;
  const legs = markets.map(({ symbol, category }, index) => {
    const leg = {
      exchange: exchange as OrderRequest['exchange'],
      symbol,
      asset_category: category,
      side: sides[index] ?? 'BUY',
      ccy: symbol.split('/')[0]!,
      target_value: target,
    };
    if (leader > 1) return { ...leg, ...working, params: { ...working.params, is_leading: false } };
    if (index !== leader) return { ...leg, strategy: 'MARKET' as const };
    return { ...leg, ...working, params: { ...working.params, is_leading: true } };
  });
  return { client_order_id: clientOrderId, algo: 'PAIR', legs };
}

/** The two markets of one base that pairs trade; null: the exchange has no such two. */
export function pairMarkets(markets: readonly TradedMarket[]): readonly [TradedMarket, TradedMarket] | null {
  const one = markets.find(({ category }) => category === 'SPOT');
  const other = markets.find(({ category, symbol }) => category === 'FUTURE' && symbol.split(':')[0] === one?.symbol);
  return one === undefined || other === undefined ? null : [one, other];
}

/** Two digits after the prefix, so that an amendment can append one. */
function quantityOf({ quantityPrefix }: TradedMarket, random: Random): string {
  return `${quantityPrefix}${1 + random.below(5)}${random.below(10)}`;
}

function limitOf({ price }: TradedMarket, side: 'BUY' | 'SELL', random: Random): string {
  const bps = random.pick(LIMIT_BPS) * (side === 'BUY' ? 1 : -1);
  return String(Math.round(price * (1 + bps / 10_000)));
}

function ladderOf({ price }: TradedMarket, side: 'BUY' | 'SELL'): Record<string, string> {
  const away = side === 'BUY' ? -1 : 1;
  const at = (bps: number): string => String(Math.round(price * (1 + (away * bps) / 10_000)));
  return { start_ladder_price: at(-1), end_ladder_price: at(30) };
}
