import type { Instrument, InstrumentCatalogue } from '../../domain/instrument.js';
import type { AccountId } from '../../domain/ids.js';
import {
  type Leg,
  legOf,
  NO_ORDER_ID,
  type OrderIdentity,
  orderOf,
  type ParentOrderDraft,
} from '../../domain/order.js';
import { type OrRejection, reject, Rejected, type Rejection } from '../../domain/rejection.js';
import type { Grid } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import { type Slot, slotsOf } from '../field/field-slot.js';
import { isJsonObject, shown } from '../field/json-value.js';
import { MemberNames } from '../field/member-names.js';
import { COMPOSITES } from './composite-values.js';
import { ORDER_CHECKS, TERM_CHECKS, type OrderValues } from './order-checks.js';
import { echoedSlots, echoText, hashOf, meaningText } from './order-echo.js';
import { ORDER_FIELDS } from './order-fields.js';
import { OrderReader } from './order-reader.js';
import { endOf, type RequestedTimes, startOf } from './trade-times.js';

/** A create that passed the checks of its fields. Its times are not compared with the clock yet. */
export interface OrderRequest {
  readonly values: OrderValues;
  readonly instrument: Instrument;
}

export const ORDER_SLOTS = slotsOf(ORDER_FIELDS);
const START = ORDER_SLOTS.findIndex(({ name }) => name === 'start_time');
/** From client_order_id to limit_price. */
const TERM_SLOTS = ORDER_SLOTS.slice(0, START);
const OTHER_SLOTS = ORDER_SLOTS.slice(START);
const ECHO_SLOTS = echoedSlots(ORDER_SLOTS);
const NAMES = MemberNames.of(ORDER_FIELDS);

/** Values that no field of a create sets. */
const UNSET: Record<Exclude<keyof OrderValues, FieldMember>, unknown> = {
  assetCategory: null,
  instrument: null,
  quantityPrecision: null,
  pricePrecision: null,
  quantityStep: null,
  priceStep: null,
  target: null,
  requestEcho: '',
};

type FieldMember = MemberOf<typeof ORDER_FIELDS> | MemberOf<(typeof ORDER_FIELDS)['params']['fields']>;
type MemberOf<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly member: infer Member } ? Member : never;
}[keyof Table];

/**
 * Values of a create without fields. Each create begins as a copy of this object; a copy of an object of one fixed
 * shape is several times faster than one made member by member. JSON.parse gives that shape.
 */
export const DEFAULT_VALUES: OrderValues = Object.assign(
  JSON.parse(JSON.stringify({ ...UNSET, ...defaultsOf(ORDER_SLOTS) })) as OrderValues,
  { clip: COMPOSITES['clip']?.none },
);

/** Defaults of the members that the fields of the slots set. */
export function defaultsOf(slots: readonly Slot[]): Record<string, unknown> {
  const defaults = slots.map((slot) =>
    slot.shape === 'NAMESPACE' ? defaultsOf(slot.slots) : { [slot.member]: slot.default },
  );
  return Object.assign({}, ...defaults) as Record<string, unknown>;
}

/**
 * Reads a create. Returns the first violation: an unknown member, then the fields in the order of ORDER_FIELDS, then
 * the rules between fields.
 */
export function parseOrderRequest(body: unknown, catalogue: InstrumentCatalogue): OrRejection<OrderRequest> {
  const reader = readOrder(body, catalogue, false);
  const [first] = reader.violations;
  if (first !== undefined || reader.instrument === null) return new Rejected(first as Rejection);
  return { values: reader.values, instrument: reader.instrument };
}

/** A request with all its violations. */
interface CheckedRequest {
  /** null when there is a violation. */
  readonly request: OrderRequest | null;
  /** The first one is the violation that a create returns. */
  readonly violations: readonly Rejection[];
}

/** Collects all violations of a create. Skips a check that needs a field that is wrong. */
export function checkOrderRequest(body: unknown, catalogue: InstrumentCatalogue): CheckedRequest {
  const { values, instrument, violations } = readOrder(body, catalogue, true);
  return { request: violations.length > 0 || instrument === null ? null : { values, instrument }, violations };
}

function readOrder(body: unknown, catalogue: InstrumentCatalogue, isComplete: boolean): OrderReader<OrderValues> {
  const reader = new OrderReader({ ...DEFAULT_VALUES }, null, catalogue, isComplete);
  if (!isJsonObject(body)) {
    reader.violations.push(reject('INVALID_REQUEST', `the order is ${shown(body)}, not an object`).rejection);
    return reader;
  }
  const fields = NAMES.readAll(body, reader.violations, isComplete);
  if (reader.isStopped) return reader;
  reader.readFields(TERM_SLOTS, fields);
  reader.check(TERM_CHECKS);
  if (!reader.isStopped) reader.readFields(OTHER_SLOTS, fields);
  reader.check(ORDER_CHECKS);
  return reader;
}

/** Echo of an order in frames: clip and params, without defaults. */
export function echoOf(values: object, grid: Grid): string {
  return echoText(ECHO_SLOTS, values, grid);
}

/**
 * Digest of a request by its meaning. Key order, letter case, trailing zeros and explicit defaults do not change it.
 * Times count as given.
 */
export function digestOf({ values, instrument }: OrderRequest): string {
  return hashOf(meaningText(ORDER_SLOTS, values, instrument));
}

/** The order that a request makes when it is accepted at `nowMs`, service time. */
export function draftOf(
  { values, instrument }: OrderRequest,
  requestDigest: string,
  account: AccountId,
  nowMs: EpochMs,
): ParentOrderDraft {
  const legs = [legOf(values, echoOf(values, instrument))] as const;
  return orderOf(values, legs, null, identityOf(acceptedTimes(values, legs[0], nowMs), requestDigest, account));
}

type AcceptedTimes = Pick<OrderIdentity, 'createdAtMs' | 'startAtMs' | 'endAtMs'>;

/** The times of an order that is accepted at `nowMs`, service time. `leading`: its leading leg. */
export function acceptedTimes(given: RequestedTimes, leading: Leg, nowMs: EpochMs): AcceptedTimes {
  const startAtMs = startOf(given, nowMs);
  return { createdAtMs: nowMs, startAtMs, endAtMs: plannedEnd(given, leading, startAtMs) };
}

/** The identity of an order that is not numbered yet, with its times. */
export function identityOf(times: AcceptedTimes, requestDigest: string, account: AccountId): OrderIdentity {
  return { orderId: NO_ORDER_ID, account, ...times, revision: 0, requestDigest, session: null };
}

/** End of an order. The duration of an order with a trigger begins when it is triggered. */
export function plannedEnd(times: RequestedTimes, { trigger }: Leg, startAtMs: EpochMs): EpochMs | null {
  return trigger === null ? endOf(times, startAtMs) : times.endAtMs;
}
