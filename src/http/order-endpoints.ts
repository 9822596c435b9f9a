import {
  CANCEL_ALL_ORDERS,
  CANCEL_ORDER,
  CANCEL_ORDERS,
  CREATE_ORDER,
  CREATE_ORDERS,
} from '../contract/order-operations.js';
import { CREATE_PAIR, CREATE_PAIRS } from '../contract/multi-leg-operations.js';
import type { AccountId } from '../model/ids.js';
import { BATCH_MEMBERS_PER_TURN_MAX, BATCH_ORDERS_MAX } from '../model/limits.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { CREATED, OK, SERVICE_UNAVAILABLE, isUnavailability } from './errors.js';
import type { CancelAllResult } from './cancel-all.js';
import type { OrderCancellation } from './order-cancellation.js';
import type { OrderPlacement } from './order-placement.js';
import { isJsonObject } from './parse/json-field.js';
import { parseBatch } from './parse/order-batch.js';
import { arrayText } from './present/json-text.js';
import { summaryText, type OrderSummary } from './present/order-summary.js';
import type { ReadDesk } from './read/read-desk.js';

export interface OrderEndpointParts {
  readonly placement: OrderPlacement;
  readonly cancellation: OrderCancellation;
  readonly reads: ReadDesk;
  /** False while shutting down: nothing new is placed. */
  readonly isAccepting: () => boolean;
  /** Why the account may place nothing now; null: it may. */
  readonly haltOf: (account: AccountId) => Rejection | null;
}

const SHUTTING_DOWN: Rejection = { code: 'SYSTEM_BUSY', message: 'the service is shutting down; nothing was placed' };

/** Everything that places or cancels. */
export function orderEndpoints(parts: OrderEndpointParts): readonly SignedEndpoint[] {
  const one: Place = (sender, body, answer) => parts.placement.place(sender, body, answer);
  const pair: Place = (sender, body, answer) => parts.placement.placePair(sender, body, answer);
  return [
    { ...CREATE_ORDER, reuse: 'named', handle: (request) => create(parts, one, request) },
    { ...CREATE_ORDERS, reuse: 'named', weigh: memberCount, handle: (request) => createMany(parts, one, request) },
    { ...CREATE_PAIR, reuse: 'named', handle: (request) => create(parts, pair, request) },
    { ...CREATE_PAIRS, reuse: 'named', weigh: memberCount, handle: (request) => createMany(parts, pair, request) },
    { ...CANCEL_ORDER, handle: (request) => cancel(parts, request) },
    { ...CANCEL_ORDERS, weigh: memberCount, handle: (request) => cancelMany(parts, request) },
    { ...CANCEL_ALL_ORDERS, handle: (request) => cancelAll(parts, request) },
  ];
}

type Place = OrderPlacement['place'];

function create({ isAccepting }: OrderEndpointParts, place: Place, request: SignedRequest): void {
  const { call, body } = request;
  if (!isAccepting()) return call.refuse(SHUTTING_DOWN);
  if (!isJsonObject(body)) return call.refuse({ code: 'INVALID_REQUEST', message: 'the body is not an object' });
  place(request, body, (summary) => {
    const unavailability = summary.orderId === null ? unavailabilityOf(summary) : null;
    if (unavailability !== null) call.refuse(unavailability);
    else call.answer(CREATED, summaryText(summary));
  });
}

/** While trading is halted a batch is refused as a whole. */
function createMany({ isAccepting, haltOf }: OrderEndpointParts, place: Place, request: SignedRequest): void {
  const { call, account, body } = request;
  if (!isAccepting()) return call.refuse(SHUTTING_DOWN);
  const halt = haltOf(account);
  if (halt !== null) return call.refuse(halt);
  const members = parseBatch(body);
  if (isRejected(members)) return call.refuse(members.rejection);
  gather(
    members,
    (member, answer: (text: string) => void) => place(request, member, (summary) => answer(summaryText(summary))),
    (texts) => call.answer(CREATED, `{"orders":${arrayText(texts)}}`),
  );
}

function cancel({ cancellation }: OrderEndpointParts, { call, account, body }: SignedRequest): void {
  cancellation.cancel(account, body, (result: OrRejection<OrderSummary>) => {
    if (isRejected(result)) return call.refuse(result.rejection);
    const unavailability = unavailabilityOf(result);
    if (unavailability !== null) call.refuse(unavailability);
    else call.answer(OK, summaryText(result));
  });
}

function cancelMany({ cancellation }: OrderEndpointParts, { call, account, body }: SignedRequest): void {
  const members = parseBatch(body);
  if (isRejected(members)) return call.refuse(members.rejection);
  gather(
    members,
    (member, answer: (text: string) => void) =>
      cancellation.cancel(account, member, (result) =>
        answer(summaryText(isRejected(result) ? cancellation.refused(result.rejection) : result)),
      ),
    (texts) => call.answer(OK, arrayText(texts)),
  );
}

/** Orders that ended before their cancel came are left out; those whose shard did not take it say so. */
function cancelAll({ cancellation, reads }: OrderEndpointParts, request: SignedRequest): void {
  const { call } = request;
  const answer = call.guarded(({ orderIds, refusals }: CancelAllResult) => {
    const listed = orderIds.filter((orderId) => {
      const refusal = refusals.get(orderId);
      return refusal === undefined || isUnavailability(refusal.code);
    });
    const first = listed[0] === undefined ? undefined : refusals.get(listed[0]);
    const areAllRefused = first !== undefined && listed.every((orderId) => refusals.has(orderId));
    if (areAllRefused) return call.refuse(first, SERVICE_UNAVAILABLE);
    // Cancels are not slowed down by the budget of reads.
    const unchargedRequest = { ...request, charge: () => undefined };
    reads.answer(unchargedRequest, { kind: 'listed', orderIds: Float64Array.from(listed), refusals });
  });
  cancellation.cancelAll(request.account, answer);
}

/** Why the service itself could not do it; null when the summary is about the order. */
function unavailabilityOf({ outcome }: OrderSummary): Rejection | null {
  return outcome !== null && isUnavailability(outcome.code) ? outcome : null;
}

/** A batch counts its members; one that will be refused for its form counts as one request. */
function memberCount(body: unknown): number {
  const orders = isJsonObject(body) ? body['orders'] : null;
  return Array.isArray(orders) && orders.length > 0 && orders.length <= BATCH_ORDERS_MAX ? orders.length : 1;
}

/**
 * Starts every member, BATCH_MEMBERS_PER_TURN_MAX in each turn of the loop; each answers once at any time. Hands on the
 * answers in the members' order.
 */
function gather<Member, Answer>(
  members: readonly Member[],
  start: (member: Member, answer: (answer: Answer) => void) => void,
  done: (answers: readonly Answer[]) => void,
): void {
  const answers: Answer[] = [];
  let missing = members.length;
  const startFrom = (first: number): void => {
    const end = Math.min(members.length, first + BATCH_MEMBERS_PER_TURN_MAX);
    for (let index = first; index < end; index += 1) {
      start(members[index] as Member, (answer) => {
        answers[index] = answer;
        missing -= 1;
        if (missing === 0) done(answers);
      });
    }
    if (end < members.length) setImmediate(() => startFrom(end));
  };
  startFrom(0);
}
