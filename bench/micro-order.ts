import { createHmac, createSecretKey } from 'node:crypto';
import { authenticate } from '../src/http/auth/authenticate.js';
import { draftOf } from '../src/http/parse/order-draft.js';
import { parseJsonBody } from '../src/http/parse/json-body.js';
import { parseOrderRequest } from '../src/http/parse/order-request.js';
import { digestOf } from '../src/http/parse/request-digest.js';
import type { ApiKeyRecord, ParentOrderDraft } from '../src/http/port.js';
import { summaryText } from '../src/http/present/order-summary.js';
import type { ApiKeyId, CorrelationId } from '../src/model/ids.js';
import type { ParentState } from '../src/model/order.js';
import { isRejected } from '../src/model/rejection.js';
import { decide, type OrderInput } from '../src/order/decide.js';
import { evolve } from '../src/order/evolve.js';
import { encodeCommand } from '../src/wire/codec/index.js';
import { repeated, type MicroGroup } from './micro-case.js';
import {
  ACCOUNT,
  CATALOGUE,
  CREATE_BODY,
  FILL_REPORT,
  INSTRUMENT,
  NOW_MS,
  parentOrder,
  WORKING,
} from './micro-sample.js';

/** The pure steps of a request and of an order. */
export function orderCases(): MicroGroup {
  const create: OrderInput = { kind: 'Create', order: parentOrder(1_000_000) };
  const fill: OrderInput = { kind: 'Report', report: FILL_REPORT };
  return repeated({
    'verify HMAC': hmacVerification(),
    'parse order': parseOrder,
    'parse order and write its summary': parseAndAnswer,
    'create from body to command and answer': commandAndAnswer,
    'decide and evolve create': () => decideAndEvolve(null, create),
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
  const keys = { find: () => record };
  return () => {
    const verified = authenticate(head, { kind: 'body', bytes: CREATE_BODY }, keys, NOW_MS);
    if (isRejected(verified)) throw new Error(verified.rejection.message);
    return verified;
  };
}

/** From the body's bytes to the order that is handed to a shard. */
function parseOrder(): ParentOrderDraft {
  const body = parseJsonBody(CREATE_BODY);
  if (isRejected(body)) throw new Error(body.rejection.message);
  const request = parseOrderRequest(body.value, CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return draftOf(request, digestOf(request), ACCOUNT, NOW_MS);
}

/** All that a create costs the contract: its form, and the text of its answer. */
function parseAndAnswer(): string {
  return answerTo(parseOrder());
}

/** Everything the main thread computes for a create besides the proof of its sender: body, shard's command, answer. */
function commandAndAnswer(): unknown {
  const draft = parseOrder();
  const order = { ...draft, orderId: WORKING.order.orderId };
  const bytes = encodeCommand({ kind: 'CreateParent', correlationId: 77 as CorrelationId, order });
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

function decideAndEvolve(before: ParentState | null, input: OrderInput): ParentState | null {
  const decision = decide(before, input, { nowMs: NOW_MS, instrument: INSTRUMENT });
  if (isRejected(decision)) throw new Error(decision.rejection.message);
  let state = before;
  for (const event of decision.events) state = evolve(state, event, NOW_MS);
  return state;
}
