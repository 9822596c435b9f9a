import type { InstrumentCatalogue } from '../../domain/instrument.js';
import type { ClientOrderId } from '../../domain/ids.js';
import { orderOf, type ParentOrderDraft } from '../../domain/order.js';
import { mapLegs, type Pair } from '../../domain/pair.js';
import type { Grid, Lots } from '../../domain/quantity.js';
import { isRejected, type OrRejection, reject, Rejected, type Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import { slotsOf } from '../field/field-slot.js';
import { isAbsent, isJsonObject, type JsonObject, shown } from '../field/json-value.js';
import { MemberNames } from '../field/member-names.js';
import { ORDER_CHECKS } from '../order/order-checks.js';
import { echoedSlots, echoText, hashOf, meaningText } from '../order/order-echo.js';
import { acceptedTimes, DEFAULT_VALUES, defaultsOf, identityOf } from '../order/order-parser.js';
import { OrderReader } from '../order/order-reader.js';
import { checkTimeOrder, type RequestedTimes } from '../order/trade-times.js';
import { LEG_SLOTS, type LegRequest, pairLegOf, parseLeg } from './leg-parser.js';
import { PAIR_FIELDS } from './pair-fields.js';

const LEGS_COUNT = 2;

/** The typed values of a multi-leg create besides its legs. */
export type PairValues = RequestedTimes &
  Pick<Pair, 'maxUnhedgedValue' | 'maxUnhedgedMs' | 'hedgeSlippageBps'> & {
    readonly clientOrderId: ClientOrderId | null;
    readonly subaccount: string | null;
  };

/** A multi-leg create that passed the checks of its fields. Clock and market are not checked yet. */
export interface PairRequest {
  /** The duration is that of the leading leg, or the longer one when no leg leads. */
  readonly values: PairValues;
  /** In the sequence of the request. */
  readonly legs: Legs;
  readonly leadingIndex: 0 | 1;
  /** False when both legs set is_leading to false. */
  readonly isLed: boolean;
}

type Legs = readonly [LegRequest, LegRequest];

const PAIR_SLOTS = slotsOf(PAIR_FIELDS);
const START = PAIR_SLOTS.findIndex(({ name }) => name === 'start_time');
/** The fields before the legs, and those after them. */
const HEAD_SLOTS = PAIR_SLOTS.slice(0, START);
const TAIL_SLOTS = PAIR_SLOTS.slice(START);
const ECHO_SLOTS = echoedSlots(PAIR_SLOTS);
const NAMES = MemberNames.of(PAIR_FIELDS);
const PAIR_DEFAULTS = { ...defaultsOf(PAIR_SLOTS), durationMs: null };

type MutablePair = { -readonly [Name in keyof PairValues]: PairValues[Name] };

/**
 * Reads a multi-leg create. Returns the first violation: an unknown member, then the fields in the order of
 * PAIR_FIELDS, then the rules between fields of a leg.
 */
export function parsePairRequest(body: unknown, catalogue: InstrumentCatalogue): OrRejection<PairRequest> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the order is ${shown(body)}, not an object`);
  const fields = NAMES.read(body);
  if (isRejected(fields)) return fields;
  const reader = new OrderReader({ ...PAIR_DEFAULTS } as unknown as MutablePair, null, catalogue, false);
  const { values, violations } = reader;
  reader.readFields(HEAD_SLOTS, fields);
  if (reader.isStopped) return new Rejected(violations[0] as Rejection);
  const led = parseLegs(fields, catalogue);
  if (isRejected(led)) return led;
  reader.readFields(TAIL_SLOTS, fields);
  if (reader.isStopped) return new Rejected(violations[0] as Rejection);
  values.durationMs = durationOf(led);
  const violation = checkTimeOrder(values) ?? checkLegs(led.legs, values, catalogue);
  return violation === null ? { values, ...led } : new Rejected(violation);
}

/** Reads two legs. The first leg leads when both omit is_leading. */
function parseLegs(
  { legs: value }: JsonObject,
  catalogue: InstrumentCatalogue,
): OrRejection<Pick<PairRequest, 'legs' | 'leadingIndex' | 'isLed'>> {
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'legs is missing');
  if (!Array.isArray(value)) return reject('INVALID_REQUEST', `legs is ${shown(value)}, not an array`);
  if (value.length !== LEGS_COUNT) {
    return reject('INVALID_REQUEST', `legs: the length is ${value.length}, a PAIR has ${LEGS_COUNT}`);
  }
  const [first, second] = value.map((leg: unknown, index) => {
    const parsed = parseLeg(leg, catalogue);
    return isRejected(parsed) ? new Rejected(ofLeg(index, parsed.rejection)) : parsed;
  }) as [OrRejection<LegRequest>, OrRejection<LegRequest>];
  if (isRejected(first)) return first;
  if (isRejected(second)) return second;
  const [one, other] = [first.values.isLeading, second.values.isLeading];
  if (one === true && other === true)
    return reject('INVALID_REQUEST', 'legs: both set is_leading, but only one leg can lead');
  const isSecond = other === true || (one === false && other === null);
  return { legs: [first, second], leadingIndex: isSecond ? 1 : 0, isLed: one !== false || other !== false };
}

/** The duration of the leading leg. When no leg leads, the longer one; null when a leg has no duration. */
export function durationOf({
  legs,
  leadingIndex,
  isLed,
}: Pick<PairRequest, 'legs' | 'leadingIndex' | 'isLed'>): RequestedTimes['durationMs'] {
  const own = legs[leadingIndex].values.durationMs;
  const other = legs[leadingIndex === 0 ? 1 : 0].values.durationMs;
  if (isLed || own === null || other === null) return isLed ? own : null;
  return own > other ? own : other;
}

/** Checks the rules between fields of each leg. The start and end of the order are those of its legs too. */
export function checkLegs(legs: Legs, times: RequestedTimes, catalogue: InstrumentCatalogue): Rejection | null {
  for (const [index, { values, instrument }] of legs.entries()) {
    const { startAtMs, endAtMs } = times;
    const checked = { ...DEFAULT_VALUES, ...values, startAtMs, endAtMs };
    const reader = new OrderReader(checked, instrument, catalogue, false);
    reader.check(ORDER_CHECKS);
    const [violation] = reader.violations;
    if (violation !== undefined) return ofLeg(index, violation);
  }
  return null;
}

/** A message begins with the field that it names: `legs[1].symbol …`. */
export function ofLeg(index: number, { code, message }: Rejection): Rejection {
  const isWhole = message.startsWith('is ');
  return { code, message: `legs[${index}]${isWhole ? ' ' : '.'}${message}` };
}

/** Echo of a multi-leg order in frames, without its legs: params that differ from their defaults. */
export function pairEcho(values: object, grid: Grid): string {
  return echoText(ECHO_SLOTS, values, grid);
}

/**
 * Digest of a multi-leg request by its meaning. The target of a leg counts as it was requested, because its quantity
 * depends on the market.
 */
export function pairDigestOf({ values, legs, leadingIndex, isLed }: PairRequest): string {
  const [first, second] = legs;
  const leading = isLed ? leadingIndex : 'none';
  const head = `PAIR leading=${leading} ${meaningText(PAIR_SLOTS, values, first.instrument)}`;
  const meanings = [first, second].map((leg) =>
    meaningText(LEG_SLOTS, { ...leg.values, isLeading: null }, leg.instrument),
  );
  return hashOf([head, ...meanings].join('\n'));
}

/** The order that a multi-leg request makes when it is accepted at `nowMs`, service time. */
export function pairDraftOf(
  { values, legs, leadingIndex, isLed }: PairRequest,
  quantities: readonly [Lots, Lots],
  { requestDigest, account }: Pick<ParentOrderDraft, 'requestDigest' | 'account'>,
  nowMs: EpochMs,
): ParentOrderDraft {
  const { maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps } = values;
  const requestEcho = pairEcho(values, legs[leadingIndex].instrument);
  const pair = { leadingIndex, isLed, maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps, requestEcho };
  const orderLegs = mapLegs(legs, (leg, index) => pairLegOf(leg, quantities[index]));
  const times = acceptedTimes(values, orderLegs[leadingIndex], nowMs);
  return orderOf({ ...DEFAULT_VALUES, ...values }, orderLegs, pair, identityOf(times, requestDigest, account));
}
