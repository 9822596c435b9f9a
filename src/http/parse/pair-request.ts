import type { ClientOrderId } from '../../model/ids.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import { MULTI_LEGS_ALGOS } from '../../model/pair.js';
import { isRejected, reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import { choiceOf, isAbsent, isJsonObject, shown } from './json-field.js';
import { parseLeg, type LegRequest } from './order-leg.js';
import { misfitOf } from './order-misfit.js';
import { parseClientOrderId, parseSubaccount } from './order-text.js';
import { parsePairParams, type PairParams } from './pair-params.js';
import { disorderOf, parseEnd, parseStart, type RequestedTimes } from './trade-times.js';

const LEGS_COUNT = 2;

/** A CreateMultiLegsParentOrderRequest whose form is right, by its meaning. Neither clock nor market has been asked yet. */
export interface PairRequest {
  readonly clientOrderId: ClientOrderId | null;
  /** As they were sent. */
  readonly legs: readonly [LegRequest, LegRequest];
  readonly leadingIndex: 0 | 1;
  /** False when both legs say that they do not lead. */
  readonly isLed: boolean;
  /** The duration is that of the leading leg, or the longer one where neither leads. */
  readonly times: RequestedTimes;
  readonly params: PairParams;
}

/**
 * The request, or the first rule that it breaks, in the order of the contract's table: client_order_id, subaccount, algo,
 * legs one after the other, start_time, end_time, params; last, what the parts of each leg mean for each other. Unknown
 * fields are ignored.
 */
export function parsePairRequest(body: unknown, catalogue: InstrumentCatalogue): OrRejection<PairRequest> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the order is ${shown(body)}, not an object`);
  const clientOrderId = parseClientOrderId(body['client_order_id']);
  if (isRejected(clientOrderId)) return clientOrderId;
  const subaccount = parseSubaccount(body['subaccount']);
  if (isRejected(subaccount)) return subaccount;
  const algo = parseAlgo(body['algo']);
  if (isRejected(algo)) return algo;
  const led = parseLegs(body['legs'], subaccount, catalogue);
  if (isRejected(led)) return led;
  const startAtMs = parseStart(body['start_time']);
  if (isRejected(startAtMs)) return startAtMs;
  const endAtMs = parseEnd(body['end_time']);
  if (isRejected(endAtMs)) return endAtMs;
  const params = parsePairParams(body['params']);
  if (isRejected(params)) return params;
  const times = { startAtMs, endAtMs, durationMs: durationOf(led) };
  const misfit = disorderOf(times) ?? legMisfitOf(led.legs, times);
  return misfit === null ? { clientOrderId, ...led, times, params } : { rejection: misfit };
}

function parseAlgo(value: unknown): OrRejection<(typeof MULTI_LEGS_ALGOS)[number]> {
  if (isAbsent(value)) return reject('INVALID_TRADE_STRATEGY', 'algo is missing');
  const algo = choiceOf(MULTI_LEGS_ALGOS, value);
  return algo ?? reject('INVALID_TRADE_STRATEGY', `algo ${shown(value)} is not ${MULTI_LEGS_ALGOS.join(', ')}`);
}

/** Two legs, of which the first leads when neither says whether it does. */
function parseLegs(
  value: unknown,
  subaccount: string | null,
  catalogue: InstrumentCatalogue,
): OrRejection<Pick<PairRequest, 'legs' | 'leadingIndex' | 'isLed'>> {
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'legs is missing');
  if (!Array.isArray(value)) return reject('INVALID_REQUEST', `legs is ${shown(value)}, not an array`);
  if (value.length !== LEGS_COUNT) {
    return reject('INVALID_REQUEST', `legs: there are ${value.length}, a PAIR has ${LEGS_COUNT}`);
  }
  const [first, second] = value.map((leg: unknown, index) => {
    const parsed = parseLeg(leg, subaccount, catalogue);
    return isRejected(parsed) ? { rejection: ofLeg(index, parsed.rejection) } : parsed;
  }) as [OrRejection<LegRequest>, OrRejection<LegRequest>];
  if (isRejected(first)) return first;
  if (isRejected(second)) return second;
  if (first.isLeading === true && second.isLeading === true)
    return reject('INVALID_REQUEST', 'legs: both say is_leading, one can lead');
  const isSecond = second.isLeading === true || (first.isLeading === false && second.isLeading === null);
  const isLed = first.isLeading !== false || second.isLeading !== false;
  return { legs: [first, second], leadingIndex: isSecond ? 1 : 0, isLed };
}

/** That of the leading leg; where neither leads, the longer one, and none when a leg has none. */
function durationOf({ legs, leadingIndex, isLed }: Pick<PairRequest, 'legs' | 'leadingIndex' | 'isLed'>) {
  const own = legs[leadingIndex].params.durationMs;
  const other = legs[leadingIndex === 0 ? 1 : 0].params.durationMs;
  if (isLed || own === null || other === null) return isLed ? own : null;
  return own > other ? own : other;
}

/** The time of the order is that of its legs too. */
function legMisfitOf(legs: PairRequest['legs'], times: RequestedTimes): Rejection | null {
  for (const [index, leg] of legs.entries()) {
    const misfit = misfitOf({ ...leg, times: { ...times, durationMs: leg.params.durationMs } });
    if (misfit !== null) return ofLeg(index, misfit);
  }
  return null;
}

/** A refusal begins with the field that it blames: `legs[1].symbol …`. */
export function ofLeg(index: number, { code, message }: Rejection): Rejection {
  const isWhole = message.startsWith('is ');
  return { code, message: `legs[${index}]${isWhole ? ' ' : '.'}${message}` };
}
