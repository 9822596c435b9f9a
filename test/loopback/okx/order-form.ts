import type { SelfTradePrevention } from '../../../src/domain/instrument.js';
import type { LoopbackAccount } from '../accounts.js';
import { divide, formatShort, multiply, type Units } from '../decimal.js';
import type { Market } from '../market.js';
import type { OrderTerms, PositionSide, TimeInForce } from '../order.js';
import { OkxError, suspended } from './api-error.js';
import { baseQuantity, wireSize } from './instruments.js';
import type { RequestFields } from './request-fields.js';
import type { OkxMarket, TradingAccounts } from './trading-account.js';

const PREVENTIONS: Readonly<Record<string, SelfTradePrevention>> = {
  cancel_maker: 'EXPIRE_MAKER',
  cancel_taker: 'EXPIRE_TAKER',
  cancel_both: 'EXPIRE_BOTH',
};
const TIMES: Readonly<Record<string, TimeInForce>> = {
  limit: 'GTC',
  post_only: 'GTC',
  ioc: 'IOC',
  fok: 'FOK',
  market: 'IOC',
};
const CLIENT_ID = /^[A-Za-z0-9]{1,32}$/;
const TAG = /^[A-Za-z0-9]{1,16}$/;

/** Reads one order of a request. Throws the refusal that the exchange states in `sCode`. */
export function orderTerms(trading: TradingAccounts, account: LoopbackAccount, fields: RequestFields): OrderTerms {
  const one = trading.marketIn(fields);
  const { instrument, market, exchange } = one;
  const suspension = exchange.suspensionOf(instrument.instId);
  if (suspension !== null) throw suspended(instrument.instType, suspension);
  const isSpot = instrument.instType === 'SPOT';
  const tdMode = fields.requiredChoice('tdMode', isSpot ? ['cash'] : ['cross']);
  const side = fields.requiredChoice('side', ['buy', 'sell']) === 'buy' ? 'BUY' : 'SELL';
  const ordType = fields.requiredChoice('ordType', ['market', 'limit', 'post_only', 'fok', 'ioc']);
  const clOrdId = fields.matching('clOrdId', CLIENT_ID);
  const tag = fields.matching('tag', TAG) ?? '';
  const stpMode = fields.choice('stpMode', ['cancel_maker', 'cancel_taker', 'cancel_both']) ?? 'cancel_maker';
  if (stpMode === 'cancel_both' && ordType === 'fok') throw new OkxError('51000', 'stpMode');
  const isReduceOnly = fields.flag('reduceOnly');
  if (isReduceOnly && isSpot) throw new OkxError('51139');
  const isMarket = ordType === 'market';
  const tgtCcy = fields.choice('tgtCcy', ['base_ccy', 'quote_ccy']) ?? (side === 'BUY' ? 'quote_ccy' : 'base_ccy');
  // Orders are never resized here.
  fields.flag('banAmend');
  const isQuote = isSpot && isMarket && tgtCcy === 'quote_ccy';
  const price = isMarket ? 0n : priceOf(fields, { side, market });
  fields.required('sz');
  const size = fields.decimal('sz')!;
  const quantity = isQuote ? market.quantityFor(side, size) : baseQuantity(instrument, size);
  checkSize({ one, quantity, size, isMarket, isQuote });
  if (exchange.openOrders(account.id, instrument.instId).length >= market.rules.openOrdersMax) {
    throw new OkxError('51102', String(market.rules.openOrdersMax));
  }
  if (clOrdId !== null && trading.hasOpen(account, clOrdId)) throw new OkxError('51016');
  return {
    account: account.id,
    instrument: instrument.core,
    clientId: clOrdId ?? trading.unnamed(),
    side,
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: TIMES[ordType]!,
    isPostOnly: ordType === 'post_only',
    isReduceOnly,
    positionSide: isSpot ? 'BOTH' : positionSide(trading, account, fields),
    quantity,
    price,
    prevention: PREVENTIONS[stpMode]!,
    wireType: ordType,
    wireTimeInForce: '',
    quoteQuantity: isQuote ? size : 0n,
    wireMembers: { tdMode, tag, stpMode, tgtCcy: isSpot && isMarket ? tgtCcy : '', sz: fields.required('sz') },
  };
}

/** A new price of an amendment or of an order; throws for one that is off the grid or beyond the price limit. */
export function checkPrice({ rules, lastPrice }: Market, side: OrderTerms['side'], price: Units): void {
  const { tick, bands } = rules;
  if (price % tick !== 0n) throw new OkxError('51000', 'px');
  const [highest, lowest] = [multiply(lastPrice, bands.bidUp), multiply(lastPrice, bands.askDown)];
  if (side === 'BUY' && price > highest) throw new OkxError('51137', formatShort(highest - (highest % tick)));
  if (side === 'SELL' && price < lowest) throw new OkxError('51138', formatShort(lowest));
}

/** The new total quantity of an amendment; null when it is not to change. */
export function amendedQuantity(one: OkxMarket, fields: RequestFields): Units | null {
  const size = fields.decimal('newSz');
  if (size === null) return null;
  const quantity = baseQuantity(one.instrument, size);
  checkSize({ one, quantity, size, isMarket: false, isQuote: false });
  return quantity;
}

function priceOf(fields: RequestFields, { side, market }: { side: OrderTerms['side']; market: Market }): Units {
  const price = fields.decimal('px');
  if (price === null) throw new OkxError('51204');
  checkPrice(market, side, price);
  return price;
}

interface AskedSize {
  readonly one: OkxMarket;
  readonly quantity: Units;
  /** As asked: contracts, base units or, for a market order, quote units. */
  readonly size: Units;
  readonly isMarket: boolean;
  readonly isQuote: boolean;
}

function checkSize({ one: { instrument, market }, quantity, size, isMarket, isQuote }: AskedSize): void {
  const { lot, quantityMin, quantityMax, marketQuantityMax } = market.rules;
  // A contract may be larger than what the core can count: then the size has more digits than its lot.
  const isOnLot = isQuote || (quantity % lot === 0n && divide(quantity, instrument.contractSize) === size);
  if (!isOnLot) throw new OkxError('51121');
  if (quantity < quantityMin) throw new OkxError('51020');
  const largest = isMarket ? marketQuantityMax : quantityMax;
  if (quantity <= largest) return;
  if (instrument.instType === 'SPOT') throw new OkxError('51005');
  throw new OkxError('51101', wireSize(instrument, largest));
}

/** In net mode a position has no side; in long/short mode each order names one. */
function positionSide(trading: TradingAccounts, account: LoopbackAccount, fields: RequestFields): PositionSide {
  if (!trading.swapClearing.settings(account.id).isDualSide) {
    fields.choice('posSide', ['net']);
    return 'BOTH';
  }
  return fields.requiredChoice('posSide', ['long', 'short']) === 'long' ? 'LONG' : 'SHORT';
}
