import { Big } from 'big.js';
import { LEGS, legFields, type LegIndex, legPath, legValues, PAIR_FIELDS, PAIR_PATHS } from './pair-fields.js';
import type { TicketValues } from './ticket-fields.js';
import {
  type CreateRequest,
  DECIMAL,
  type Finding,
  lotOf,
  type OrderPlan,
  put,
  roundedDown,
  sentValue,
  type TicketMarket,
} from './ticket-request.js';

/*
 * Two legs as one create request. The service previews orders of one leg: a PAIR is previewed as two of them, each with
 * the terms of its leg and the times of the order.
 */

const IS_LEADING = 'params.is_leading';
/** Members that only a leg has. An order of one leg has a quantity instead. */
const LEG_ONLY: ReadonlySet<string> = new Set(['target_value', 'ccy', IS_LEADING]);

/** The request of these values with a preview for each leg; a finding when a target has no price to divide it by. */
export function pairPlanOf(values: TicketValues, markets: readonly TicketMarket[]): OrderPlan | Finding {
  const previews = [];
  for (const leg of LEGS) {
    const quantity = legQuantity(legValues(values, leg), markets[leg]);
    if (quantity === null) {
      const text = 'no price of this market is known yet: enter a limit price or a target in the base';
      return { field: legPath(leg, 'target_value'), text };
    }
    previews.push({
      title: legTitle(values, leg),
      order: { ...timesOf(values), ...legRequest(values, leg, false), quantity },
      findingOf: (code: string, message: string) => legFinding(values, leg, code, message),
    });
  }
  return { order: pairRequestOf(values), previews };
}

/** A create of a multi-leg order. Each leg says whether it leads: when both are silent, the first one would. */
export function pairRequestOf(values: TicketValues): CreateRequest {
  const order: Record<string, unknown> = { algo: 'PAIR', legs: LEGS.map((leg) => legRequest(values, leg, true)) };
  for (const { name, kind } of PAIR_FIELDS) {
    const text = (values[name] ?? '').trim();
    if (text !== '') put(order, name.split('.'), sentValue(kind, text));
  }
  return order as CreateRequest;
}

/** `BUY BTC/USDT on BINANCE` */
export function legTitle(values: TicketValues, leg: LegIndex): string {
  const { side, symbol, exchange } = legValues(values, leg);
  return `${side} ${symbol} on ${exchange}`;
}

function timesOf(values: TicketValues): object {
  const times: Record<string, unknown> = {};
  for (const name of ['start_time', 'end_time']) {
    const text = (values[name] ?? '').trim();
    if (text !== '') times[name] = sentValue('instant', text);
  }
  return times;
}

function legRequest(values: TicketValues, leg: LegIndex, isOfPair: boolean): Record<string, unknown> {
  const own = legValues(values, leg);
  const request: Record<string, unknown> = {};
  const { main, more } = legFields(values, leg);
  for (const { name: path, kind } of [...main, ...more]) {
    const name = path.slice(legPath(leg, '').length);
    const text = (own[name] ?? '').trim();
    if (text !== '' && !LEG_ONLY.has(name)) put(request, name.split('.'), sentValue(kind, text));
  }
  if (!isOfPair) return request;
  put(request, ['target_value'], (own['target_value'] ?? '').trim());
  put(request, ['ccy'], (own['ccy'] ?? '').trim());
  put(request, IS_LEADING.split('.'), own[IS_LEADING] === 'true');
  return request;
}

/**
 * The target in base units, as the service converts it: at the limit price, else at the mid price, rounded down to the
 * lot. null without a price.
 */
export function legQuantity(own: TicketValues, market: TicketMarket | undefined): string | null {
  const target = (own['target_value'] ?? '').trim();
  const { instrument = null, bid = null, ask = null } = market ?? {};
  if (!DECIMAL.test(target) || own['ccy'] === instrument?.baseAsset) return target;
  const limit = (own['limit_price'] ?? '').trim();
  const price = DECIMAL.test(limit) ? limit : bid === null || ask === null ? null : new Big(bid).plus(ask).div(2);
  if (instrument === null || price === null || new Big(price).lte(0)) return null;
  return roundedDown(new Big(target), new Big(price), lotOf(instrument));
}

/** A finding of the preview of a leg, at the field of that leg. */
function legFinding(values: TicketValues, leg: LegIndex, code: string, message: string): Finding {
  const [name = ''] = message.split(' ', 1);
  const path = legPath(leg, name === 'quantity' ? 'target_value' : name);
  const text = `${message} (${code})`;
  if (PAIR_PATHS.has(path)) return { field: path, text };
  return PAIR_PATHS.has(name) ? { field: name, text } : { field: null, text: `${legTitle(values, leg)}: ${text}` };
}
