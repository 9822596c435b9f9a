import type { Binding, GuardrailName, Halt } from '../../model/guardrail.js';
import type { ParentOrder } from '../../model/order.js';
import type { Rejection } from '../../model/rejection.js';
import type { Asked, Grounds, PartBefore, Refusal } from './grounds.js';
import { partsOf, type OrderPart } from './order-worth.js';
import { collarRefusal, crossRefusal, exchangeRefusal, symbolRefusal } from './part-refusals.js';
import { countRefusal, exposureRefusal, notionalRefusal } from './size-refusals.js';

/** A guardrail that refuses, and what it says. */
export interface Breach {
  readonly guardrail: GuardrailName;
  readonly rejection: Rejection;
}

type Judge = (asked: Asked, binding: Binding, grounds: Grounds) => Refusal;
type PartJudge = (part: OrderPart, binding: Binding, grounds: Grounds, before: PartBefore | null) => Refusal;

/** In the order in which they are told. */
const JUDGES: readonly (readonly [GuardrailName, Judge])[] = [
  ['allowed_exchanges', whileGrowing(ofFirstPart(exchangeRefusal))],
  ['allowed_symbols', whileGrowing(ofFirstPart(symbolRefusal))],
  ['price_collar_bps', ofFirstPart(collarRefusal)],
  ['self_cross', ofFirstPart(crossRefusal)],
  ['max_order_notional', notionalRefusal],
  ['max_open_orders', countRefusal],
  ['max_gross_exposure', exposureRefusal],
];

/** Every guardrail that the order would breach, in a fixed order; none: it may be taken. A function of its arguments alone. */
export function breachesOf(asked: Asked, grounds: Grounds): Breach[] {
  const { halt, bindings } = grounds.bounds;
  const breaches: Breach[] = [];
  if (halt !== null) breaches.push({ guardrail: 'kill_switch', rejection: haltRefusal(halt, asked.order) });
  for (const binding of bindings) {
    for (const [guardrail, judge] of JUDGES) {
      const rejection = judge(asked, binding, grounds);
      if (rejection !== null) breaches.push({ guardrail, rejection });
    }
  }
  return breaches;
}

export function haltRefusal({ scope, engagedAtMs, by }: Halt, { account }: Pick<ParentOrder, 'account'>): Rejection {
  const whose = scope === 'service' ? 'of the whole service' : `of account ${account}`;
  const who = by === 'OPERATOR' ? 'the operator' : 'an API key of it';
  const since = new Date(engagedAtMs).toISOString();
  const message = `the kill switch ${whose} was engaged by ${who} at ${since}; the operator releases it`;
  return { code: 'OTHER', message };
}

/** An amendment that leaves an order as large as it was, or makes it smaller, is let through where it trades. */
function whileGrowing(judge: Judge): Judge {
  return (asked, binding, grounds) => {
    const isGrowing = asked.before === null || asked.order.quantity > asked.before.order.quantity;
    return isGrowing ? judge(asked, binding, grounds) : null;
  };
}

/** A refusal of a pair's leg begins with its name: `legs[1].symbol …`. */
function ofFirstPart(judge: PartJudge): Judge {
  return ({ order, before }, binding, grounds) => {
    const partsBefore = before === null ? [] : partsOf(before.order);
    for (const [index, part] of partsOf(order).entries()) {
      const partBefore = partsBefore[index];
      const was = partBefore === undefined ? null : { part: partBefore, hasStarted: before?.hasStarted ?? false };
      const refusal = judge(part, binding, grounds, was);
      if (refusal === null) continue;
      return order.pair === null ? refusal : { ...refusal, message: `legs[${index}].${refusal.message}` };
    }
    return null;
  };
}
