import { formatLots, formatTicks, type Grid } from '../../domain/quantity.js';
import type { ChildSubmission } from '../../domain/venue-message.js';
import type { ChildName, ClientIdCodec } from './client-id/codec.js';

/** An order as the bytes of an outgoing request say it. Each dialect reads its own requests into this form. */
export interface WrittenOrder {
  readonly symbol: string;
  readonly side: string;
  readonly type: 'LIMIT' | 'MARKET';
  readonly timeInForce: 'GTC' | 'IOC';
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  /** Base units, as decimal text. */
  readonly quantity: string;
  readonly price: string | null;
  readonly clientId: string;
  readonly selfTradePrevention: string;
}

/** How an exchange names what a child is to trade. */
export interface TradedInstrument extends Grid {
  /** The exchange's own symbol. */
  readonly exchangeSymbol: string;
  readonly isFuture: boolean;
}

/** An outgoing request that differs from its child. It must not leave. */
export class WrongRequest extends Error {
  override readonly name = 'WrongRequest';
}

/** Returns the client id of a child. Throws WrongRequest when the format of the exchange has no place for its name. */
export function placedClientId(codec: ClientIdCodec, { orderId, child }: ChildName): string {
  const clientId = codec.encode(orderId, child);
  if (clientId === null) throw new WrongRequest(`no client id for child ${orderId}-${child}`);
  return clientId;
}

/**
 * Compares an outgoing order with the child that it is sent for, and throws WrongRequest for the first difference. It
 * is the last check before the bytes leave: libraries have been seen to round prices, to drop flags and to change a
 * time in force.
 */
export function assertWrittenAs(
  child: ChildSubmission,
  clientId: string,
  to: TradedInstrument,
  written: WrittenOrder,
): void {
  const wanted: WrittenOrder = {
    symbol: to.exchangeSymbol,
    side: child.side,
    type: child.type,
    timeInForce: child.timeInForce,
    postOnly: child.postOnly,
    reduceOnly: child.reduceOnly,
    quantity: formatLots(child.quantity, to),
    price: child.limitPrice === null ? null : formatTicks(child.limitPrice, to),
    clientId,
    selfTradePrevention: child.selfTradePrevention,
  };
  for (const name of Object.keys(wanted) as (keyof WrittenOrder)[]) {
    if (written[name] === wanted[name]) continue;
    throw new WrongRequest(`the request says ${name} ${String(written[name])} instead of ${String(wanted[name])}`);
  }
}
