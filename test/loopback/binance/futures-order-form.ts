import { formatShort, formatUnits, multiply, type Units } from '../decimal.js';
import type { Exchange } from '../exchange.js';
import type { FuturesClearing } from '../futures-clearing.js';
import type { Market } from '../market.js';
import type { OrderTerms, PositionSide } from '../order.js';
import { ApiError, missing } from './api-error.js';
import { isInBand } from './filters.js';
import type { Parameters } from './parameters.js';
import { generatedId, marketOf, PREVENTIONS, SIDES } from './spot-order-form.js';

const CLIENT_ID_FORM = /^[.A-Z:/a-z0-9_-]{1,36}$/;
const TYPES = ['LIMIT', 'MARKET'] as const;
const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'GTX'] as const;
const POSITION_SIDES: readonly PositionSide[] = ['BOTH', 'LONG', 'SHORT'];
const MODE_MISMATCH = (): ApiError => new ApiError(-4061, "Order's position side does not match user's setting.");

/** Reads and checks a new futures order. Throws the error that the exchange answers. */
export function readFuturesOrder(
  { exchange, clearing }: { exchange: Exchange; clearing: FuturesClearing },
  parameters: Parameters,
  account: number,
): OrderTerms {
  const market = marketOf(exchange, parameters);
  const { instrument, rules } = market;
  const side = parameters.oneOf('side', SIDES, new ApiError(-1117, 'Invalid side.'));
  if (side === null) throw missing('side');
  const type = parameters.oneOf('type', TYPES, new ApiError(-1116, 'Invalid orderType.'));
  if (type === null) throw missing('type');
  const timeInForce = parameters.oneOf('timeInForce', TIMES_IN_FORCE, new ApiError(-1115, 'Invalid timeInForce.'));
  const quantity = parameters.decimal('quantity');
  const price = parameters.decimal('price');
  const isReduceOnly = parameters.flag('reduceOnly') ?? false;
  const clientId = parameters.matching('newClientOrderId', CLIENT_ID_FORM) ?? generatedId();
  const refused = new ApiError(-1130, "Data sent for parameter 'selfTradePreventionMode' is not valid.");
  const prevention = parameters.oneOf('selfTradePreventionMode', PREVENTIONS, refused) ?? 'EXPIRE_MAKER';
  const positionSide = parameters.oneOf('positionSide', POSITION_SIDES, MODE_MISMATCH()) ?? 'BOTH';
  if (quantity === null) throw missing('quantity');
  if (type === 'LIMIT' && timeInForce === null) throw missing('timeInForce');
  if (type === 'LIMIT' && price === null) throw missing('price');
  if (type === 'MARKET' && price !== null) throw new ApiError(-1106, "Parameter 'price' sent when not required.");
  const { isDualSide } = clearing.settings(account);
  if (isDualSide === (positionSide === 'BOTH')) throw MODE_MISMATCH();
  if (isDualSide && parameters.optional('reduceOnly') !== null) {
    throw new ApiError(-1106, "Parameter 'reduceonly' sent when not required.");
  }
  checkQuantity(market, { quantity, isMarket: type === 'MARKET' });
  if (price !== null) checkPrice(market, { side, price });
  const isExempt = isReduceOnly || isClosing(side, positionSide);
  if (!isExempt && multiply(price ?? market.lastPrice, quantity) < rules.notionalMin) {
    const least = formatShort(rules.notionalMin);
    throw new ApiError(-4164, `Order's notional must be no smaller than ${least} (unless you choose reduce only).`);
  }
  const isOverfull = exchange.openOrders(account, instrument.symbol).length >= instrument.openOrdersMax;
  if (isOverfull) throw new ApiError(-2025, 'Reach max open order limit.');
  const isFullyFilled = timeInForce === 'FOK' && price !== null;
  if (isFullyFilled && available(market, { side, quantity, price }) < quantity) {
    throw new ApiError(
      -5021,
      'Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history.',
    );
  }
  return {
    account,
    instrument,
    clientId,
    side,
    type,
    quantity,
    isReduceOnly,
    positionSide,
    prevention,
    timeInForce: timeInForce === 'GTX' || timeInForce === null ? 'GTC' : timeInForce,
    isPostOnly: timeInForce === 'GTX',
    price: price ?? 0n,
    wireType: type,
    wireTimeInForce: timeInForce ?? 'GTC',
    quoteQuantity: 0n,
  };
}

/** In hedge mode an order against its position side closes it. */
function isClosing(side: string, positionSide: PositionSide): boolean {
  return positionSide !== 'BOTH' && (side === 'SELL') === (positionSide === 'LONG');
}

function checkQuantity({ rules }: Market, { quantity, isMarket }: { quantity: Units; isMarket: boolean }): void {
  if (quantity === 0n) throw new ApiError(-4003, 'Quantity less than or equal to zero.');
  if (quantity % rules.lot !== 0n) {
    throw new ApiError(-1111, 'Precision is over the maximum defined for this asset.');
  }
  if (quantity < rules.quantityMin) throw new ApiError(-4004, 'Quantity less than min quantity.');
  const max = isMarket ? rules.marketQuantityMax : rules.quantityMax;
  if (quantity > max) throw new ApiError(-4005, 'Quantity greater than max quantity.');
}

function checkPrice(market: Market, { side, price }: { side: 'BUY' | 'SELL'; price: Units }): void {
  const { rules, lastPrice } = market;
  if (price < rules.priceMin) throw new ApiError(-4013, 'Price less than min price.');
  if (price > rules.priceMax) throw new ApiError(-4002, 'Price greater than max price.');
  if (price % rules.tick !== 0n) throw new ApiError(-4014, 'Price not increased by tick size.');
  if (isInBand(rules, { side, price, reference: lastPrice })) return;
  const { bidUp, askDown } = rules.bands;
  if (side === 'BUY') {
    throw new ApiError(-4016, `Limit price can't be higher than ${formatUnits(multiply(lastPrice, bidUp), 2)}.`);
  }
  throw new ApiError(-4024, `Limit price can't be lower than ${formatUnits(multiply(lastPrice, askDown), 2)}.`);
}

function available(
  { book, instrument }: Market,
  order: { side: 'BUY' | 'SELL'; quantity: Units; price: Units },
): Units {
  const wanted = Number(order.quantity / instrument.lot);
  const found = book.preview(order.side, wanted as never, Number(order.price / instrument.tick) as never);
  return BigInt(found.quantity) * instrument.lot;
}
