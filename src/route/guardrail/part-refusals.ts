import type { Binding } from '../../model/guardrail.js';
import { held, listed, type Grounds, type PartBefore, type Refusal } from './grounds.js';
import { midOf, type OrderPart } from './order-worth.js';
import { mayMeet, reachOf } from './own-quotes.js';
import { collarBreach, isPriced } from './price-collar.js';

export function exchangeRefusal({ venue }: OrderPart, binding: Binding): Refusal {
  const { allowedExchanges } = binding.rules;
  if (allowedExchanges === null || allowedExchanges.includes(venue)) return null;
  const message = `exchange ${venue} is not one of ${held(binding, 'allowed_exchanges', listed(allowedExchanges))}`;
  return { code: 'INVALID_EXCHANGE', message };
}

export function symbolRefusal({ instrument }: OrderPart, binding: Binding, { catalogue }: Grounds): Refusal {
  const { allowedSymbols } = binding.rules;
  if (allowedSymbols === null) return null;
  const { symbol } = catalogue.at(instrument);
  if (allowedSymbols.includes(symbol)) return null;
  const message = `symbol ${symbol} is not one of ${held(binding, 'allowed_symbols', listed(allowedSymbols))}`;
  return { code: 'INVALID_SYMBOL', message };
}

export function collarRefusal(
  part: OrderPart,
  binding: Binding,
  { mids, catalogue }: Grounds,
  before: PartBefore | null,
): Refusal {
  const { priceCollarBps } = binding.rules;
  if (priceCollarBps === null || !isPriced(part)) return null;
  const instrument = catalogue.at(part.instrument);
  const breach = collarBreach(part, before, instrument, midOf(instrument, mids), priceCollarBps);
  if (breach === null) return null;
  return { ...breach, message: `${breach.message}, above ${held(binding, 'price_collar_bps', priceCollarBps)}` };
}

export function crossRefusal(
  part: OrderPart,
  binding: Binding,
  { standing, catalogue }: Grounds,
  before: PartBefore | null,
): Refusal {
  if (binding.rules.selfCross !== 'REFUSE') return null;
  const opposite = standing.opposite(part);
  const reach = reachOf(part);
  if (opposite === null || !mayMeet(reach, opposite.reach)) return null;
  // What could meet it already is not made worse.
  if (before !== null && reach <= reachOf(before.part)) return null;
  const { symbol, venue } = catalogue.at(part.instrument);
  const message =
    `side ${part.side} of ${symbol} on ${venue} could trade with the own open order_id ${opposite.orderId}, ` +
    `which ${held(binding, 'self_cross', 'REFUSE')} rules out`;
  return { code: 'INVALID_ORDER', message };
}
