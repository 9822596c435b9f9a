import type { InstrumentCatalogue } from '../../domain/instrument.js';
import type { ParentState } from '../../domain/order-state.js';
import type { ParentOrder } from '../../domain/order.js';
import { type OrderLeg, type Pair, withQuantity } from '../../domain/pair.js';
import { formatLots, parseAmount, ZERO_LOTS } from '../../domain/quantity.js';
import { isRejected, reject, type OrRejection, Rejected, type Rejection } from '../../domain/rejection.js';
import { boundedLots, parseLots } from '../field/field-value.js';
import { amendableFields, type FieldRow, type FieldTable } from '../field/field-row.js';
import { type Slot, slotsOf } from '../field/field-slot.js';
import { isAbsent, isJsonObject, type JsonObject, present, shown } from '../field/json-value.js';
import { legEcho, legQuantity, type LegRequest, type LegValues } from '../pair/leg-parser.js';
import { LEG_FIELDS, PAIR_PARAMS } from '../pair/pair-fields.js';
import { checkLegs, durationOf, ofLeg, pairEcho, type PairValues } from '../pair/pair-parser.js';
import { ORDER_CHECKS, TERM_CHECKS } from './order-checks.js';
import { ORDER_FIELDS } from './order-fields.js';
import { echoOf, type OrderValues } from './order-parser.js';
import { OrderReader } from './order-reader.js';
import { ORDER_PARAMS, WORKING_FIELDS } from './param-fields.js';
import { checkTimeOrder, endOf } from './trade-times.js';

/** The new terms of an AmendOrderRequest, as they were sent. */
export type Amendment = JsonObject;

const { params: _params, ...TERM_FIELDS } = ORDER_FIELDS;
const TERMS = [...Object.keys(amendableFields(TERM_FIELDS)), 'params'];

const isEnd = ({ name }: Slot): boolean => name === 'end_time';
const AMENDABLE_SLOTS = slotsOf(amendableFields(TERM_FIELDS));
/** Quantity and limit price. */
const TERM_SLOTS = AMENDABLE_SLOTS.filter((slot) => !isEnd(slot));
const END_SLOTS = AMENDABLE_SLOTS.filter(isEnd);
const OTHER_SLOTS = [...END_SLOTS, ...paramSlots('single', ORDER_PARAMS)];
const LEG_PARAM_SLOTS = paramSlots('pair', WORKING_FIELDS);
const PAIR_SLOTS = [...END_SLOTS, ...paramSlots('pair', PAIR_PARAMS)];

/** The slot of `params` with the fields of a table that an amendment of this kind of order may have. */
function paramSlots(of: 'single' | 'pair', table: FieldTable): readonly Slot[] {
  const rows: [string, FieldRow][] = Object.entries(amendableFields(table));
  const fields = Object.fromEntries(rows.filter(([, row]) => isAmendable(row, of)));
  return slotsOf({ params: { kind: 'object', description: '', fields } });
}

function isAmendable({ amend }: FieldRow, of: 'single' | 'pair'): boolean {
  return amend?.of === 'any' || amend?.of === of;
}

export function parseAmendment(body: unknown): OrRejection<Amendment> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const amendment = present(body, TERMS);
  if (Object.keys(amendment).length > 0) return amendment;
  return reject('INVALID_REQUEST', `${TERMS.join(', ')} are missing: give at least one`);
}

/**
 * The order with its new terms. The typed values of the order are the base, and the fields of the amendment replace some
 * of them. The result is checked like a create. `end_time` and `duration_seconds` belong together: an amendment with
 * either replaces both.
 */
export function amendedOrder(
  amendment: Amendment,
  { order, amendment: wanted }: ParentState,
  catalogue: InstrumentCatalogue,
): OrRejection<ParentOrder> {
  const before = wanted ?? order;
  const kept = keptParam(amendment, before);
  if (kept !== null) return kept;
  const revision = order.revision + 1;
  if (before.pair !== null) return amendedPair(amendment, before, catalogue, revision);
  const values: { -readonly [Name in keyof OrderValues]: OrderValues[Name] } = { ...before };
  if (isTimed(amendment)) values.endAtMs = values.durationMs = null;
  const reader = new OrderReader<OrderValues>(values, catalogue.at(before.instrument), catalogue, false);
  reader.readFields(TERM_SLOTS, amendment);
  reader.check(TERM_CHECKS);
  if (!reader.isStopped) reader.readFields(OTHER_SLOTS, amendment);
  reader.check(ORDER_CHECKS);
  const [violation] = reader.violations;
  if (violation !== undefined) return new Rejected(violation);
  const { startAtMs } = before;
  const endAtMs = values.trigger === null ? endOf(values, startAtMs) : values.endAtMs;
  return { ...values, startAtMs, endAtMs, requestEcho: echoOf(values, before), revision };
}

/** Refuses a param that cannot be amended in an order of this kind. Ignores unknown params. */
function keptParam({ params }: Amendment, { pair }: ParentOrder): Rejected | null {
  if (!isJsonObject(params)) return null;
  const [of, kind] =
    pair === null ? (['single', 'an order of one leg'] as const) : (['pair', 'a multi-leg order'] as const);
  for (const name of Object.keys(params)) {
    const row = Object.hasOwn(PARAMS, name) ? PARAMS[name] : undefined;
    if (row !== undefined && !isAbsent(params[name]) && !isAmendable(row, of)) {
      return reject('INVALID_PARAM', `params.${name} cannot be amended in ${kind}`);
    }
  }
  return null;
}

/** Params of every kind of order. */
const PARAMS: FieldTable = { ...ORDER_PARAMS, ...LEG_FIELDS.params.fields, ...PAIR_PARAMS };

/** True when the amendment changes the end of trading. */
function isTimed({ end_time: end, params }: Amendment): boolean {
  return !isAbsent(end) || (isJsonObject(params) && !isAbsent(params['duration_seconds']));
}

type Mutable<Values> = { -readonly [Name in keyof Values]: Values[Name] };

/**
 * The multi-leg order with its new terms. `quantity` is that of the leading leg, and the quantity of the other leg changes
 * in proportion. `limit_price` and the params of a leg apply to the leading leg; the other params apply to the order.
 */
function amendedPair(
  amendment: Amendment,
  before: ParentOrder,
  catalogue: InstrumentCatalogue,
  revision: number,
): OrRejection<ParentOrder> {
  const { quantity } = amendment;
  const lots = isAbsent(quantity) ? before.quantity : parseLots(quantity, 'quantity', catalogue.at(before.instrument));
  if (isRejected(lots)) return lots;
  const order = withQuantity(before, lots);
  const { pair } = order;
  if (pair === null) return order;
  const [first, second] = pair.legs.map((leg) => legRequest(leg, catalogue)) as [MutableLeg, MutableLeg];
  const legs = [first, second] as const;
  const violation = amendLeadingLeg(legs, pair, amendment, catalogue);
  if (violation !== null) return new Rejected(violation);
  const values = pairValues(order, pair, isTimed(amendment));
  const reader = new OrderReader(values, null, catalogue, false);
  reader.readFields(PAIR_SLOTS, amendment);
  values.durationMs = durationOf({ legs, leadingIndex: pair.leadingIndex, isLed: pair.isLed });
  const wrong = reader.violations[0] ?? checkTimeOrder(values) ?? checkLegs(legs, values, catalogue);
  return wrong === null
    ? { ...withTerms(order, pair, legs, values), revision }
    : new Rejected(ofAmendment(wrong, pair));
}

type MutableLeg = { readonly values: Mutable<LegValues>; readonly instrument: LegRequest['instrument'] };

function legRequest(leg: OrderLeg, catalogue: InstrumentCatalogue): MutableLeg {
  const values = { ...leg, targetValue: parseAmount(leg.targetValue), isLeading: null };
  return { values, instrument: catalogue.at(leg.instrument) };
}

/** Reads the new terms into the leading leg. When no leg leads, a new duration applies to both legs. */
function amendLeadingLeg(
  legs: readonly [MutableLeg, MutableLeg],
  pair: Pair,
  amendment: Amendment,
  catalogue: InstrumentCatalogue,
): Rejection | null {
  const { values, instrument } = legs[pair.leadingIndex];
  if (isTimed(amendment)) values.durationMs = null;
  const reader = new OrderReader(values, instrument, catalogue, false);
  reader.readFields(TERM_SLOTS, amendment);
  if (reader.isStopped) return reader.violations[0] ?? null;
  for (const [index, leg] of legs.entries()) {
    const size = legSize(leg);
    if (isRejected(size)) return ofAmendment(ofLeg(index, size.rejection), pair);
  }
  reader.readFields(LEG_PARAM_SLOTS, amendment);
  if (isTimed(amendment) && !pair.isLed) for (const leg of legs) leg.values.durationMs = values.durationMs;
  return reader.violations[0] ?? null;
}

/** Checks the quantity of a leg after an amendment, alone and at its limit price. */
function legSize({ values, instrument }: MutableLeg): OrRejection<unknown> {
  const lots = boundedLots(
    values.quantity ?? 0,
    `target_value ${formatLots(values.quantity ?? ZERO_LOTS, instrument)}`,
    instrument,
  );
  return isRejected(lots) ? lots : legQuantity(values, instrument);
}

/** A violation of the leading leg names the field of the amendment. */
function ofAmendment({ code, message }: Rejection, { leadingIndex }: Pair): Rejection {
  const own = `legs[${leadingIndex}].`;
  if (!message.startsWith(own)) return { code, message };
  return { code, message: message.slice(own.length).replace(/^target_value/, 'quantity') };
}

function pairValues(order: ParentOrder, pair: Pair, isTimed: boolean): Mutable<PairValues> {
  const { clientOrderId, subaccount, startAtMs, endAtMs } = order;
  const { maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps } = pair;
  const params = { maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps };
  return { ...params, clientOrderId, subaccount, startAtMs, endAtMs: isTimed ? null : endAtMs, durationMs: null };
}

function withTerms(
  order: ParentOrder,
  pair: Pair,
  legs: readonly [MutableLeg, MutableLeg],
  values: PairValues,
): ParentOrder {
  const { maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps } = values;
  const { values: leading } = legs[pair.leadingIndex];
  const amendedLegs = [legWith(pair.legs[0], legs[0]), legWith(pair.legs[1], legs[1])] as const;
  return {
    ...order,
    ...membersOf(leading, [...TERM_SLOTS, ...LEG_PARAM_SLOTS]),
    endAtMs: leading.trigger === null ? endOf(values, order.startAtMs) : values.endAtMs,
    requestEcho: pairEcho(values, order),
    pair: { ...pair, maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps, legs: amendedLegs },
  };
}

/** The values that the slots set. */
function membersOf(values: object, slots: readonly Slot[]): Partial<ParentOrder> {
  const members = slots.flatMap((slot) => (slot.shape === 'NAMESPACE' ? slot.slots : [slot]));
  return Object.fromEntries(members.map(({ member }) => [member, (values as Record<string, unknown>)[member]]));
}

function legWith(leg: OrderLeg, { values, instrument }: MutableLeg): OrderLeg {
  return {
    ...leg,
    ...membersOf(values, [...TERM_SLOTS, ...LEG_PARAM_SLOTS]),
    requestEcho: legEcho(values, instrument),
  };
}
