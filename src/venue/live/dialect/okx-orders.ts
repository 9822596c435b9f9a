import type { SelfTradePrevention } from '../../../domain/instrument.js';
import { formatLots, formatTicks } from '../../../domain/quantity.js';
import type { ChildSubmission } from '../../../domain/venue-message.js';
import { dividedExactly, parseDecimal, times } from '../json/decimal.js';
import { asObject, decimalText, type JsonObject } from '../json/json-fields.js';
import { type TradedInstrument, WrongRequest, type WrittenOrder } from '../wire-guard.js';

/*
 * Orders of OKX spot and of its USDT perpetuals as members of V5 requests. The names and values are those of the public
 * documents. Perpetuals are sized in contracts, in an account in futures mode with cross margin and one position for
 * each instrument.
 */

/** An instrument with the base units of one contract as decimal text; 1 for spot. */
export interface ContractInstrument extends TradedInstrument {
  readonly contractSize: string;
}

/** Members of a request, in the order in which they are written. */
export type OkxFields = Readonly<Record<string, string | boolean>>;

/** How long after its sending OKX still carries an order out: the header expTime. */
export const OKX_EXPIRY_MS = 2_000;

const PREVENTIONS: Readonly<Partial<Record<SelfTradePrevention, string>>> = {
  EXPIRE_MAKER: 'cancel_maker',
  EXPIRE_TAKER: 'cancel_taker',
  EXPIRE_BOTH: 'cancel_both',
};

/** The members that place a child. Throws WrongRequest for a child that the exchange has no order for. */
export function placeFields(child: ChildSubmission, clientId: string, to: ContractInstrument): OkxFields {
  const { side, type, timeInForce, limitPrice, postOnly, reduceOnly, selfTradePrevention } = child;
  if (reduceOnly && !to.isFuture) throw new WrongRequest('spot has no reduce-only orders');
  if (postOnly && (type !== 'LIMIT' || timeInForce !== 'GTC')) throw new WrongRequest('a post-only order rests');
  if ((type === 'LIMIT') !== (limitPrice !== null)) throw new WrongRequest('a limit order, and only it, has a price');
  const stpMode = PREVENTIONS[selfTradePrevention];
  if (stpMode === undefined) throw new WrongRequest(`OKX has no self-trade prevention ${selfTradePrevention}`);
  const fields: Record<string, string | boolean> = {
    instId: to.exchangeSymbol,
    tdMode: to.isFuture ? 'cross' : 'cash',
    side: side === 'BUY' ? 'buy' : 'sell',
    ordType: orderType(child),
    sz: sizeText(child, to),
  };
  if (limitPrice !== null) fields['px'] = formatTicks(limitPrice, to);
  if (type === 'MARKET' && !to.isFuture) {
    // The exchange would take the quantity of a spot market order to buy as an amount of the quote currency.
    fields['tgtCcy'] = 'base_ccy';
    // With too little money the exchange would place a smaller order.
    fields['banAmend'] = true;
  }
  // An account with two positions for each instrument refuses this.
  if (to.isFuture) fields['posSide'] = 'net';
  if (reduceOnly) fields['reduceOnly'] = true;
  fields['clOrdId'] = clientId;
  fields['stpMode'] = stpMode;
  return fields;
}

/** The members that name an order by its client id: to cancel it or to look it up. */
export function nameFields(clientId: string, to: TradedInstrument): Readonly<Record<string, string>> {
  return { instId: to.exchangeSymbol, clOrdId: clientId };
}

const ORDER_MEMBERS = new Set([
  'instId',
  'tdMode',
  'side',
  'ordType',
  'sz',
  'px',
  'tgtCcy',
  'banAmend',
  'posSide',
  'reduceOnly',
  'clOrdId',
  'stpMode',
]);

/**
 * Reads the text of an outgoing placement back. Throws WrongRequest for a member or value that no placement of ours
 * has: a trigger price, another margin mode or the tag of a broker.
 */
export function readPlacement(body: string, to: ContractInstrument): WrittenOrder {
  const members = bodyMembers(body);
  if (members === null) throw new WrongRequest('the body of an order is no object');
  for (const name of Object.keys(members)) {
    if (!ORDER_MEMBERS.has(name)) throw new WrongRequest(`an unknown member ${name}`);
  }
  const text = (name: string): string => {
    const value = members[name];
    if (typeof value !== 'string' || value === '') throw new WrongRequest(`the member ${name} is missing`);
    return value;
  };
  const fixed = (name: string, value: string | boolean | undefined): void => {
    if (members[name] !== value) throw new WrongRequest(`${name} is ${String(members[name])} instead of ${value}`);
  };
  const kind = KINDS.get(text('ordType'));
  if (kind === undefined) throw new WrongRequest(`an order of type ${text('ordType')}`);
  fixed('tdMode', to.isFuture ? 'cross' : 'cash');
  fixed('posSide', to.isFuture ? 'net' : undefined);
  const isSpotMarket = kind.type === 'MARKET' && !to.isFuture;
  fixed('tgtCcy', isSpotMarket ? 'base_ccy' : undefined);
  fixed('banAmend', isSpotMarket ? true : undefined);
  const { reduceOnly = false } = members;
  if (typeof reduceOnly !== 'boolean') throw new WrongRequest('reduceOnly is no boolean');
  const prevention = Object.entries(PREVENTIONS).find(([, wire]) => wire === text('stpMode'))?.[0];
  if (prevention === undefined) throw new WrongRequest(`stpMode is ${text('stpMode')}`);
  const isBuy = text('side') === 'buy';
  if (!isBuy) fixed('side', 'sell');
  return {
    ...kind,
    symbol: text('instId'),
    side: isBuy ? 'BUY' : 'SELL',
    reduceOnly,
    quantity: baseText(canonical(text('sz')), to),
    price: members['px'] === undefined ? null : text('px'),
    clientId: text('clOrdId'),
    selfTradePrevention: prevention,
  };
}

/** The members of a JSON text; null: it is no object. */
export function bodyMembers(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Throws for a size that is not written in its canonical form. */
function canonical(size: string): string {
  const written = parseDecimal(size);
  if (written === null || decimalText(written) !== size)
    throw new WrongRequest(`the size ${size} is no canonical decimal`);
  return size;
}

type Kind = Pick<WrittenOrder, 'type' | 'timeInForce' | 'postOnly'>;

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['limit', { type: 'LIMIT', timeInForce: 'GTC', postOnly: false }],
  ['post_only', { type: 'LIMIT', timeInForce: 'GTC', postOnly: true }],
  ['ioc', { type: 'LIMIT', timeInForce: 'IOC', postOnly: false }],
  ['market', { type: 'MARKET', timeInForce: 'IOC', postOnly: false }],
]);

function orderType({ type, timeInForce, postOnly }: ChildSubmission): string {
  if (type === 'MARKET') return 'market';
  if (postOnly) return 'post_only';
  return timeInForce === 'IOC' ? 'ioc' : 'limit';
}

/** The quantity in contracts, or in base units for spot. */
function sizeText({ quantity }: ChildSubmission, to: ContractInstrument): string {
  const base = parseDecimal(formatLots(quantity, to));
  const contract = parseDecimal(to.contractSize);
  const size = base === null || contract === null || contract.units <= 0n ? null : dividedExactly(base, contract);
  if (size === null) throw new WrongRequest(`the quantity is no exact number of contracts of ${to.contractSize}`);
  return decimalText(size);
}

/** A size in contracts as base units, in canonical form; an empty text for one that is no decimal. */
export function baseText(size: string, { contractSize }: Pick<ContractInstrument, 'contractSize'>): string {
  const written = parseDecimal(size);
  const contract = parseDecimal(contractSize);
  return written === null || contract === null ? '' : decimalText(times(written, contract));
}
