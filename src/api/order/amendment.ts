import type { InstrumentCatalogue } from '../../domain/instrument.js';
import type { ParentState } from '../../domain/order-state.js';
import { type Leg, legOf, orderOf, type ParentOrder } from '../../domain/order.js';
import { mapLegs, type Pair } from '../../domain/pair.js';
import { leadingLeg, withQuantity } from '../../domain/order-legs.js';
import { formatLots, type Grid, parseAmount, ZERO_LOTS } from '../../domain/quantity.js';
import { assert, isRejected, reject, type OrRejection, Rejected, type Rejection } from '../../domain/rejection.js';
import { boundedLots, parseLots } from '../field/field-value.js';
import { amendableFields, type FieldRow, type FieldTable } from '../field/field-row.js';
import { type Slot, slotsOf } from '../field/field-slot.js';
import { isAbsent, isJsonObject, type JsonObject, present, shown } from '../field/json-value.js';
import { MemberNames } from '../field/member-names.js';
import { legQuantity, type LegRequest, type LegValues, pairLegOf } from '../pair/leg-parser.js';
import { LEG_FIELDS, PAIR_FIELDS, PAIR_PARAMS } from '../pair/pair-fields.js';
import { checkLegs, durationOf, ofLeg, pairEcho, type PairValues } from '../pair/pair-parser.js';
import { ORDER_CHECKS, TERM_CHECKS, type OrderValues } from './order-checks.js';
import { ORDER_FIELDS } from './order-fields.js';
import { echoOf, plannedEnd } from './order-parser.js';
import { OrderReader } from './order-reader.js';
import { type OrderRef, readOrderRef } from './order-reference.js';
import { CancelUpstreamOrderRequest } from './order-schema.js';
import { ORDER_PARAMS, WORKING_FIELDS } from './param-fields.js';
import { checkTimeOrder } from './trade-times.js';

/** The new terms of an AmendOrderRequest, as they were sent, under the names of the tables. */
export type Amendment = JsonObject;

/** An AmendOrderRequest. */
export interface AmendmentRequest {
  readonly ref: OrderRef;
  readonly terms: Amendment;
}

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

/** Params of every kind of order. */
const PARAMS: FieldTable = { ...ORDER_PARAMS, ...LEG_FIELDS.params.fields, ...PAIR_PARAMS };

const { properties: IDS } = CancelUpstreamOrderRequest;
const { legs: _legs, ...PAIR_TERMS } = PAIR_FIELDS;
/** An amendment knows every field of an order, so that it can say which ones stay as they are. */
const NAMES = MemberNames.of({ ...ORDER_FIELDS, ...PAIR_TERMS, ...IDS, params: { fields: PARAMS } });
const KEPT: ReadonlySet<string> = new Set(
  Object.keys({ ...ORDER_FIELDS, ...PAIR_TERMS }).filter((name) => !TERMS.includes(name) && !Object.hasOwn(IDS, name)),
);

function isAmendable({ amend }: FieldRow, of: 'single' | 'pair'): boolean {
  return amend?.of === 'any' || amend?.of === of;
}

/** Reads the names of an amendment and of its order. The terms are read together with the order. */
export function parseAmendment(body: unknown): OrRejection<AmendmentRequest> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const fields = NAMES.read(body);
  if (isRejected(fields)) return fields;
  const kept = Object.keys(fields).find((name) => KEPT.has(name) && !isAbsent(fields[name]));
  if (kept !== undefined) {
    return new Rejected({ code: 'INVALID_PARAM', message: `${kept} cannot be amended`, reason: 'UNKNOWN_FIELD' });
  }
  const terms = present(fields, TERMS);
  if (Object.keys(terms).length === 0) {
    return reject('INVALID_REQUEST', `${TERMS.join(', ')} are missing: give at least one`);
  }
  const ref = readOrderRef(fields);
  return isRejected(ref) ? ref : { ref, terms };
}

/**
 * The order with its new terms. The typed values of the order are the base, and the fields of the amendment replace
 * some of them. The result is checked like a create. `end_time` and `duration_seconds` belong together: an amendment
 * with either replaces both.
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
  const values: Mutable<OrderValues> = { ...before, ...before.legs[0] };
  if (isTimed(amendment)) values.endAtMs = values.durationMs = null;
  const reader = new OrderReader<OrderValues>(values, catalogue.at(values.instrument), catalogue, false);
  reader.readFields(TERM_SLOTS, amendment);
  reader.check(TERM_CHECKS);
  if (!reader.isStopped) reader.readFields(OTHER_SLOTS, amendment);
  reader.check(ORDER_CHECKS);
  const [violation] = reader.violations;
  if (violation !== undefined) return new Rejected(violation);
  const leg = legOf(values, echoOf(values, values));
  const endAtMs = plannedEnd(values, leg, before.startAtMs);
  return orderOf(values, [leg], null, { ...before, endAtMs, revision });
}

/** Refuses a param that cannot be amended in an order of this kind. */
function keptParam({ params }: Amendment, { pair }: ParentOrder): Rejected | null {
  if (!isJsonObject(params)) return null;
  const [of, kind] =
    pair === null ? (['single', 'an order of one leg'] as const) : (['pair', 'a multi-leg order'] as const);
  for (const name of Object.keys(params)) {
    const row = PARAMS[name];
    if (row !== undefined && !isAbsent(params[name]) && !isAmendable(row, of)) {
      return reject('INVALID_PARAM', `params.${name} cannot be amended in ${kind}`);
    }
  }
  return null;
}

/** True when the amendment changes the end of trading. */
function isTimed({ end_time: end, params }: Amendment): boolean {
  return !isAbsent(end) || (isJsonObject(params) && !isAbsent(params['duration_seconds']));
}

type Mutable<Values> = { -readonly [Name in keyof Values]: Values[Name] };

/**
 * The multi-leg order with its new terms. `quantity` is that of the leading leg, and the quantity of the other leg
 * changes in proportion. `limit_price` and the params of a leg apply to the leading leg; the other params apply to the
 * order.
 */
function amendedPair(
  amendment: Amendment,
  before: ParentOrder,
  catalogue: InstrumentCatalogue,
  revision: number,
): OrRejection<ParentOrder> {
  const { quantity } = amendment;
  const leading = leadingLeg(before);
  const lots = isAbsent(quantity)
    ? leading.quantity
    : parseLots(quantity, 'quantity', catalogue.at(leading.instrument));
  if (isRejected(lots)) return lots;
  const order = withQuantity(before, lots);
  const { pair } = order;
  if (pair === null || order.legs.length === 1) return order;
  const legs = mapLegs(order.legs, (leg) => legRequest(leg, catalogue));
  const violation = amendLeadingLeg(legs, pair, amendment, catalogue);
  if (violation !== null) return new Rejected(violation);
  const values = pairValues(order, pair, isTimed(amendment));
  const reader = new OrderReader(values, null, catalogue, false);
  reader.readFields(PAIR_SLOTS, amendment);
  values.durationMs = durationOf({ legs, leadingIndex: pair.leadingIndex, isLed: pair.isLed });
  const wrong = reader.violations[0] ?? checkTimeOrder(values) ?? checkLegs(legs, values, catalogue);
  if (wrong !== null) return new Rejected(ofAmendment(wrong, pair));
  const amendedLegs = mapLegs(legs, amendedLeg);
  const endAtMs = plannedEnd(values, amendedLegs[pair.leadingIndex], order.startAtMs);
  return { ...order, legs: amendedLegs, pair: pairWith(pair, values, leading), endAtMs, revision };
}

type MutableLeg = { readonly values: Mutable<LegValues>; readonly instrument: LegRequest['instrument'] };

function legRequest(leg: Leg, catalogue: InstrumentCatalogue): MutableLeg {
  const { target } = leg;
  assert(target !== null, 'a leg of a pair has a target');
  const values = { ...leg, targetValue: parseAmount(target.value), ccy: target.ccy, isLeading: null };
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

function amendedLeg(request: MutableLeg): Leg {
  return pairLegOf(request, request.values.quantity ?? ZERO_LOTS);
}

function pairWith(pair: Pair, values: PairValues, grid: Grid): Pair {
  const { maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps } = values;
  return { ...pair, maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps, requestEcho: pairEcho(values, grid) };
}
