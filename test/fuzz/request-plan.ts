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

/** What is wrong with a request; nothing, when it is valid. */
export type Flaw = 'nothing' | 'body' | 'query' | 'header' | 'target' | 'signature';

/** One request to send, and what it is entitled to. */
export interface RequestPlan {
  readonly kind: 'request';
  readonly flaw: Flaw;
  /** null: at its path or by its method there is nothing. */
  readonly operation: Operation | null;
  readonly method: string;
  readonly bytes: Buffer;
}

/** Where the requests of a run come from. */
export interface Sources {
  readonly document: ApiDocument;
  readonly world: KnownWorld;
  readonly key: Key;
  /** How often some operations are asked for, instead of what is said here. */
  readonly weights: Readonly<Record<string, number>>;
}

const FLAWS: readonly (readonly [Flaw, number])[] = [
  ['nothing', 0.3],
  ['header', 0.1],
  ['target', 0.05],
  ['body', 1],
];
/** How often operations are asked for, relative to others; what is said here of none counts 2. */
const WEIGHTS: Readonly<Record<string, number>> = {
  createOrder: 16,
  createOrders: 4,
  cancelOrder: 4,
  cancelAllOrders: 0.2,
  // One valid request would be the last order of the run.
  engageKillSwitch: 0,
  listOpenOrders: 0.5,
  openapi: 0.2,
  asyncapi: 0.2,
  docs: 0.2,
  console: 0.2,
  health: 0.5,
  ready: 0.5,
  // Each of these folds the events of up to 500 orders, or of one: they would keep every lane waiting for them.
  getWindowCost: 0.1,
  getOrderCost: 0.5,
};
const WEIGHT_DEFAULT = 2;

/** A request by chance: of any operation, valid or with one flaw. `nowMs`: real time, for it is signed. */
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
  /** What is signed. */
  readonly payload: string | Buffer;
}

/** Query or body of an operation, valid unless the flaw is in them. */
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
