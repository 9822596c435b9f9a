import { createHmac, createSecretKey } from 'node:crypto';
import { parseJsonBody } from '../../src/api/field/json-body.js';
import { draftOf } from '../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import { digestOf } from '../../src/api/order/order-parser.js';
import { summaryText } from '../../src/api/order/order-details.js';
import type { ApiKeyId, CorrelationId, Seq } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isRejected } from '../../src/domain/rejection.js';
import { authenticate } from '../../src/http/auth/authenticate.js';
import { RouteMeter } from '../../src/http/metrics/answer-meter.js';
import type { ParentOrderDraft } from '../../src/domain/order.js';
import type { ApiKeyRecord } from '../../src/keys/port.js';
import { decide, type OrderInput } from '../../src/order/decide.js';
import { creationOf } from '../../src/order/snapshot.js';
import { monotonicMs } from '../../src/runtime/clock.js';
import { encodeCommand } from '../../src/wire/codec/command.js';
import { type MicroGroup, repeated } from './case.js';
import { ACCOUNT, CATALOGUE, CREATE_BODY, FILL_REPORT, NOW_MS, parentOrder, WORKING } from './sample.js';

/** The pure steps of a request and of an order. */
export function orderCases(): MicroGroup {
  const order = parentOrder(1_000_000);
  const fill: OrderInput = { kind: 'Report', report: FILL_REPORT };
  return repeated({
    'verify HMAC': hmacVerification(),
    'parse order': parseOrder,
    'parse order and write its summary': parseAndAnswer,
    'create from body to command and answer': commandAndAnswer,
    'decide and evolve create': () => creationOf(order, NOW_MS, 77 as CorrelationId),
    'decide and evolve fill': () => decideAndEvolve(WORKING, fill),
  });
}

function hmacVerification(): () => unknown {
  const apiKey = 'f00dfeedf00dfeedf00dfeedf00dfeed';
  const secret = createSecretKey(Buffer.alloc(32, 7));
  const record: ApiKeyRecord = {
    apiKey: apiKey as ApiKeyId,
    account: ACCOUNT,
    permissions: ['read', 'trade'],
    expiresAtMs: null,
    allowedFrom: null,
    needsSignV2: false,
    hasSigned: false,
    kind: 'HMAC',
    secret,
  };
  const [timestamp, recvWindow] = [String(NOW_MS), '5000'];
  const signature = createHmac('sha256', secret)
    .update(timestamp + apiKey + recvWindow)
    .update(CREATE_BODY)
    .digest('base64');
  const credentials = { apiKey, timestamp, signature, recvWindow, version: '', nonce: '' };
  const head = { credentials, path: '/api/v2/trading/order/create', query: '' };
  const keys = { find: () => record, findSuspended: () => null };
  return () => {
    const verified = authenticate(head, { kind: 'body', bytes: CREATE_BODY }, keys, NOW_MS);
    if (isRejected(verified)) throw new Error(verified.rejection.message);
    return verified;
  };
}

/** From the body's bytes to the order that a shard receives. */
function parseOrder(): ParentOrderDraft {
  const body = parseJsonBody(CREATE_BODY);
  if (isRejected(body)) throw new Error(body.rejection.message);
  const request = parseOrderRequest(body.value, CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return draftOf(request, digestOf(request), ACCOUNT, NOW_MS);
}

/** Parses a create and writes its answer. */
function parseAndAnswer(): string {
  return answerTo(parseOrder());
}

/** All that the main thread computes for a create except authentication: body, command for the shard, answer. */
function commandAndAnswer(): unknown {
  const draft = parseOrder();
  const order = { ...draft, orderId: WORKING.order.orderId };
  const bytes = encodeCommand({ kind: 'CreateParent', correlationId: 77 as CorrelationId, order, seq: 1 as Seq });
  return [bytes, answerTo(draft)];
}

function answerTo({ clientOrderId, createdAtMs }: ParentOrderDraft): string {
  return summaryText({
    orderId: WORKING.order.orderId,
    clientOrderId,
    status: 'PENDING_NEW',
    createdAtMs,
    outcome: null,
  });
}

/** Decides, which folds each event once. Returns the state after the last event. */
function decideAndEvolve(before: ParentState, input: OrderInput): ParentState {
  const decision = decide(before, input, { nowMs: NOW_MS });
  if (isRejected(decision)) throw new Error(decision.rejection.message);
  return decision.recorded.at(-1)?.state ?? before;
}

/** The cost of counting and timing an answer. */
export function httpCases(): MicroGroup {
  const meter = new RouteMeter('/api/v2/trading/order/create');
  return repeated({
    'count and time an answer': () => {
      const beganAtMs = monotonicMs();
      meter.note('201 Created', monotonicMs() - beganAtMs);
      return meter.totalMs;
    },
  });
}
