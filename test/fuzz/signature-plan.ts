import type { Random } from '../torture/random.js';
import type { Operation } from './api-document.js';
import type { Answer } from './http-answer.js';
import type { Header, SignedParts } from './request-head.js';
import type { RequestPlan, Sources } from './request-plan.js';
import { isAcceptedOnce, isCreatedOnce, isRefused, isRefusedAfter, isSameOrder } from './signature-rules.js';
import { Signing } from './signing.js';

/** Requests that share a signature or a nonce, or use a foreign one. */
export interface SignaturePlan {
  readonly kind: 'signature';
  readonly name: string;
  readonly requests: readonly RequestPlan[];
  /** True: all at once, each on its own connection; false: one after the other. */
  readonly isParallel: boolean;
  /** Returns what is wrong with the answers, in the order of the requests. An answer is null when none arrived. */
  readonly complaint: (answers: readonly (Answer | null)[]) => string | null;
}

type Complaint = SignaturePlan['complaint'];

interface Group {
  readonly requests: readonly RequestPlan[];
  /** True: the requests may be sent in any order. */
  readonly isUnordered: boolean;
  readonly complaint: Complaint;
}

const REPEATS_MAX = 4;
const CREATES = ['createOrder', 'createOrders', 'createMultiLegsOrder', 'createMultiLegsOrders'] as const;
/** Pairs of operations: a signature for the first path must be rejected at the second. */
const OTHER_PATHS: readonly (readonly [first: string, second: string])[] = [
  ['previewOrder', 'createOrder'],
  ['createOrder', 'createMultiLegsOrder'],
  ['createOrders', 'createMultiLegsOrders'],
  ['pauseOrder', 'resumeOrder'],
  ['cancelOrder', 'resumeOrder'],
  ['resumeOrder', 'amendOrder'],
  ['createOrder', 'amendOrder'],
];
const CHANGES = ['createOrder', 'createOrders', 'cancelOrder', 'pauseOrder', 'resumeOrder', 'amendOrder'] as const;
const SIGNED = [...CHANGES, 'previewOrder', 'createMultiLegsOrder', 'listOpenOrders', 'getOrders', 'listBalances'];

/** Plans a random misuse of signatures. `nowMs`: real time. */
export function planSignature(sources: Sources, random: Random, nowMs: number): SignaturePlan {
  const [name, make] = random.pick(Object.entries(MISUSES));
  const { requests, complaint, isUnordered } = make(new Signing(sources, random, nowMs), random);
  return { kind: 'signature', name, requests, complaint, isParallel: isUnordered && random.below(2) === 0 };
}

const MISUSES: Readonly<Record<string, (signing: Signing, random: Random) => Group>> = {
  'an unnamed create, repeated': (signing, random) => {
    const operation = signing.operation(random.pick(CREATES));
    const body = signing.body(operation, (name) => name !== 'client_order_id');
    const request = signing.first(operation, body, { query: '', body });
    return inAnyOrder(repeated(request, random), isCreatedOnce);
  },
  'a named create, repeated': (signing, random) => {
    const operation = signing.operation(random.pick(CREATES));
    const body = named(
      signing.body(operation, () => true),
      `fuzz-again-${random.below(2 ** 32).toString(36)}`,
    );
    return inAnyOrder(repeated(signing.first(operation, body, { query: '', body }), random), isSameOrder);
  },
  'a signature of another endpoint': (signing, random) => {
    const [first, second] = random.pick(OTHER_PATHS).map((id) => signing.operation(id)) as [Operation, Operation];
    const body = signing.body(first, () => true);
    const requests = [first, second].map((operation) => signing.first(operation, body, { query: '', body }));
    return { requests, complaint: isRefusedAfter, isUnordered: false };
  },
  'a query that is a body': (signing) => {
    const [first, second] = [signing.operation('listOpenOrders'), signing.operation('createOrder')];
    const body = signing.body(second, () => true);
    const query = encodeURIComponent(body.toString());
    const signed = { query: '', body };
    const requests = [signing.first(first, Buffer.alloc(0), { ...signed, query }), signing.first(second, body, signed)];
    return { requests, complaint: isRefusedAfter, isUnordered: false };
  },
  'a second signature over something else': (signing, random) => {
    const operation = signing.operation(random.pick(SIGNED));
    return inAnyOrder([signing.second(operation, random.pick(Object.values(CHANGED_PARTS)), [])], isRefused);
  },
  'a second signature with another header': (signing, random) => {
    const operation = signing.operation(random.pick(SIGNED));
    return inAnyOrder([signing.second(operation, (parts) => parts, random.pick(OTHER_HEADERS))], isRefused);
  },
  'a nonce, repeated': (signing, random) => {
    const operation = signing.operation(random.pick(CHANGES));
    const request = signing.second(operation, (parts) => parts, []);
    return inAnyOrder(repeated(request, random), isAcceptedOnce);
  },
  'a nonce of another request': (signing, random) => {
    const [first, second] = [signing.operation(random.pick(CHANGES)), signing.operation(random.pick(CHANGES))];
    const requests = [first, second].map((operation) => signing.second(operation, (parts) => parts, []));
    return inAnyOrder(requests, isAcceptedOnce);
  },
};

const CHANGED_PARTS: Readonly<Record<string, (parts: SignedParts) => SignedParts>> = {
  method: (parts) => ({ ...parts, method: parts.method === 'GET' ? 'POST' : 'GET' }),
  'case of the method': (parts) => ({ ...parts, method: parts.method.toLowerCase() }),
  path: (parts) => ({ ...parts, path: `${parts.path}/` }),
  'another path': (parts) => ({ ...parts, path: '/api/v2/trading/order/preview2' }),
  query: (parts) => ({ ...parts, query: `${parts.query}&a=1` }),
  body: (parts) => ({ ...parts, body: Buffer.concat([parts.body, Buffer.from(' ')]) }),
  'the time stamp': (parts) => ({ ...parts, timestamp: String(Number(parts.timestamp) + 1) }),
  'the key': (parts) => ({ ...parts, apiKey: parts.apiKey.toUpperCase().padEnd(40, '0') }),
  'the window': (parts) => ({ ...parts, window: '5000' }),
  'the nonce': (parts) => ({ ...parts, nonce: `${parts.nonce}0` }),
};

/** Each replaces the header of its name; an empty value removes it. */
const OTHER_HEADERS: readonly (readonly Header[])[] = [
  [['X-SIGN-VERSION', '']],
  [['X-SIGN-VERSION', '1']],
  [['X-SIGN-VERSION', '3']],
  [['X-SIGN-VERSION', '2.0']],
  [['X-SIGN-VERSION', '02']],
  [['X-SIGN-VERSION', '__proto__']],
  [['X-NONCE', '']],
  [['X-NONCE', 'short']],
  [['X-NONCE', 'x'.repeat(65)]],
  [['X-NONCE', 'nonce-of-another-request']],
  [['X-RECV-WINDOW', '']],
  [['X-SIGN', 'AAAA']],
];

function inAnyOrder(requests: readonly RequestPlan[], complaint: Complaint): Group {
  return { requests, complaint, isUnordered: true };
}

function repeated(request: RequestPlan, random: Random): RequestPlan[] {
  return Array.from({ length: 2 + random.below(REPEATS_MAX - 1) }, () => request);
}

/** Gives the order, or each order of a batch, its own client_order_id. */
function named(body: Buffer, name: string): Buffer {
  const value = JSON.parse(body.toString()) as { orders?: object[] };
  const orders = value.orders?.map((order, index) => ({ ...order, client_order_id: `${name}-${index}` }));
  return Buffer.from(JSON.stringify(orders === undefined ? { ...value, client_order_id: name } : { ...value, orders }));
}
