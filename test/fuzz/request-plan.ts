import type { Random } from '../torture/random.js';
import type { ApiDocument, Operation } from './api-document.js';
import { mutatedBody } from './body-mutation.js';
import type { KnownWorld } from './known-world.js';
import { mutatedQuery, validQuery } from './query-mutation.js';
import {
  bytesOf,
  type Key,
  plainHeaders,
  type Request,
  signatureHeaders,
  withMutatedHeader,
  withMutatedTarget,
} from './request-head.js';
import { ValueSource } from './value-source.js';

/** The flawed part of a request; 'nothing' for a valid one. */
export type Flaw = 'nothing' | 'body' | 'query' | 'header' | 'target' | 'signature';

/** A request to send, and the operation that answers it. */
export interface RequestPlan {
  readonly kind: 'request';
  readonly flaw: Flaw;
  /** null: no operation at this path and method. */
  readonly operation: Operation | null;
  readonly method: string;
  readonly bytes: Buffer;
}

/** Inputs for the requests of a run. */
export interface Sources {
  readonly document: ApiDocument;
  readonly world: KnownWorld;
  readonly key: Key;
  /** Weights of operations that replace the defaults. */
  readonly weights: Readonly<Record<string, number>>;
}

const FLAWS: readonly (readonly [Flaw, number])[] = [
  ['nothing', 0.3],
  ['header', 0.1],
  ['target', 0.05],
  ['body', 1],
];
/** Relative weights of operations. The default is WEIGHT_DEFAULT. */
const WEIGHTS: Readonly<Record<string, number>> = {
  createOrder: 16,
  createOrders: 4,
  cancelOrder: 4,
  cancelAllOrders: 0.2,
  cancelAllOrdersByPost: 0.1,
  // A valid request would block all further orders of the run.
  engageKillSwitch: 0,
  listOpenOrders: 0.5,
  openapi: 0.2,
  asyncapi: 0.2,
  docs: 0.2,
  console: 0.2,
  health: 0.5,
  ready: 0.5,
  // Each of these reads the events of up to 500 orders, or of one, and would block every client.
  getWindowCost: 0.1,
  getOrderCost: 0.5,
};
const WEIGHT_DEFAULT = 2;

/** Plans a random request: any operation, valid or with one flaw. `nowMs`: real time, for the signature. */
export function planRequest(sources: Sources, random: Random, nowMs: number): RequestPlan {
  const { document, world, key, weights } = sources;
  const operation = pickOperation(document.operations, weights, random);
  const source = new ValueSource(document.schemas, world, random, nowMs);
  const flaw = flawOf(operation, random);
  const content = contentOf(operation, flaw, { document, source, random });
  const signature = operation.isSigned ? signatureHeaders(key, content.payload, nowMs) : [];
  const request: Request = {
    method: operation.method,
    target: operation.path + (content.query === '' ? '' : `?${content.query}`),
    headers: [...plainHeaders(content.body, operation.body !== null), ...signature],
    body: content.body,
  };
  const sent = flawed(request, flaw, random);
  const isThere = sent.method === operation.method && flaw !== 'target';
  return { kind: 'request', flaw, operation: isThere ? operation : null, method: sent.method, bytes: bytesOf(sent) };
}

export interface Content {
  readonly query: string;
  readonly body: Buffer;
  /** The signed bytes or text. */
  readonly payload: string | Buffer;
}

/** Returns the query or body of an operation, valid unless it has the flaw. */
export function contentOf(
  operation: Operation,
  flaw: Flaw,
  { document, source, random }: { document: ApiDocument; source: ValueSource; random: Random },
): Content {
  if (operation.body === null) {
    const query = (flaw === 'query' ? mutatedQuery : validQuery)(operation.query, source, random);
    return { query, body: Buffer.alloc(0), payload: query };
  }
  const value = source.value(operation.body, '');
  const isMutated = flaw === 'body';
  const body = isMutated
    ? mutatedBody(value, operation.body, document.schemas, random)
    : Buffer.from(JSON.stringify(value));
  return { query: '', body, payload: body };
}

function flawed(request: Request, flaw: Flaw, random: Random): Request {
  if (flaw === 'header') return withMutatedHeader(request, random);
  return flaw === 'target' ? withMutatedTarget(request, random) : request;
}

function flawOf({ body }: Operation, random: Random): Flaw {
  let chance = random.next();
  for (const [flaw, share] of FLAWS) {
    chance -= share;
    if (chance < 0) return flaw === 'body' && body === null ? 'query' : flaw;
  }
  return 'nothing';
}

function pickOperation(operations: readonly Operation[], weights: Sources['weights'], random: Random): Operation {
  const weightOf = ({ id }: Operation): number => weights[id] ?? WEIGHTS[id] ?? WEIGHT_DEFAULT;
  let at = random.next() * operations.reduce((sum, operation) => sum + weightOf(operation), 0);
  return operations.find((operation) => (at -= weightOf(operation)) < 0) ?? random.pick(operations);
}
