import { SESSION_ID_CHARACTERS_MAX, SESSION_REQUEST_ID_CHARACTERS_MAX } from '../../domain/limits/clients.js';
import { isRejected, type OrRejection, reject, type Rejection } from '../../domain/rejection.js';
import { ENGAGE_KILL_SWITCH } from '../account/risk-limits.js';
import type { SignedOperation } from '../document/operation.js';
import { ambiguityOf, parseJson } from '../field/json-body.js';
import { quote } from '../field/json-text.js';
import { isAbsent, isJsonObject, type JsonObject, shown } from '../field/json-value.js';
import { MemberNames } from '../field/member-names.js';
import { AMEND_ORDER, CANCEL_ALL_AFTER, PAUSE_ORDER, RESUME_ORDER } from '../order/order-control.js';
import {
  CANCEL_ALL_ORDERS,
  CANCEL_ORDER,
  CANCEL_ORDERS,
  CREATE_ORDER,
  CREATE_ORDERS,
  CREATE_PAIR,
  CREATE_PAIRS,
} from '../order/order-operations.js';
import { PREVIEW_ORDER } from '../order/order-preview.js';
import { GET_ORDERS, LIST_OPEN_ORDERS } from '../order/query-operations.js';

export const SESSION_PATH = '/api/v2/ws/trade';

/** The operations of REST that a session offers, by their `op`. */
export const SESSION_OPERATIONS = {
  'order.create': CREATE_ORDER,
  'order.createMany': CREATE_ORDERS,
  'order.createMultiLegs': CREATE_PAIR,
  'order.createManyMultiLegs': CREATE_PAIRS,
  'order.cancel': CANCEL_ORDER,
  'order.cancelMany': CANCEL_ORDERS,
  'order.cancelAll': CANCEL_ALL_ORDERS,
  'order.pause': PAUSE_ORDER,
  'order.resume': RESUME_ORDER,
  'order.amend': AMEND_ORDER,
  'order.preview': PREVIEW_ORDER,
  'order.cancelAllAfter': CANCEL_ALL_AFTER,
  killSwitch: ENGAGE_KILL_SWITCH,
  'order.byId': GET_ORDERS,
  'order.open': LIST_OPEN_ORDERS,
} as const satisfies { readonly [op: string]: SignedOperation };

export type SessionOp = keyof typeof SESSION_OPERATIONS;

/** Operations on a list, with the size of frame that REST allows for them. */
const BATCHES: ReadonlySet<string> = new Set<SessionOp>([
  'order.createMany',
  'order.createManyMultiLegs',
  'order.cancelMany',
]);

/** The names of a request in its answer; null: the frame has none. */
export interface RequestName {
  readonly id: string | null;
  readonly op: string | null;
}

/** A parsed frame of a client. */
export type SessionFrame =
  | { readonly kind: 'keep-alive'; readonly topic: 'ping' | 'pong' }
  | { readonly kind: 'ping'; readonly name: RequestName }
  | { readonly kind: 'auth'; readonly name: RequestName; readonly args: unknown }
  | {
      readonly kind: 'request';
      readonly name: RequestName;
      readonly op: SessionOp;
      readonly args: unknown;
      /** True: the frame may be as large as the body of a batch. */
      readonly isBatch: boolean;
    }
  | { readonly kind: 'faulty'; readonly name: RequestName; readonly rejection: Rejection };

const NAMELESS: RequestName = { id: null, op: null };
/** Printable: no control characters, no line separators. */
const NAME = new RegExp(String.raw`^[^\p{C}\p{Zl}\p{Zp}]{1,${SESSION_REQUEST_ID_CHARACTERS_MAX}}$`, 'u');

/** Parses one text frame. Reports the first error in this order: text, id, op. */
export function parseSessionFrame(bytes: Buffer): SessionFrame {
  const parsed = parseJson(bytes, 'the frame');
  if (isRejected(parsed)) return { kind: 'faulty', name: NAMELESS, rejection: parsed.rejection };
  if (!isJsonObject(parsed.value)) return faulty(NAMELESS, 'the frame is not a JSON object');
  const { id, op, topic, args } = parsed.value;
  if (id === undefined && op === undefined && (topic === 'ping' || topic === 'pong')) {
    return { kind: 'keep-alive', topic };
  }
  const name = { id: printable(id), op: printable(op) };
  if (parsed.isAmbiguous) return { kind: 'faulty', name, rejection: ambiguityOf(bytes) };
  if (name.id === null) {
    return faulty(name, `id is not a string of 1 to ${SESSION_REQUEST_ID_CHARACTERS_MAX} printable characters`);
  }
  if (op === 'ping') return { kind: 'ping', name };
  if (op === 'auth') return { kind: 'auth', name, args };
  if (!isSessionOp(op)) return faulty(name, `op is not one of auth, ping, ${OPS.join(', ')}`);
  return { kind: 'request', name, op, args, isBatch: BATCHES.has(op) };
}

const OPS = Object.keys(SESSION_OPERATIONS);

function isSessionOp(op: unknown): op is SessionOp {
  return typeof op === 'string' && Object.hasOwn(SESSION_OPERATIONS, op);
}

function printable(value: unknown): string | null {
  return typeof value === 'string' && NAME.test(value) ? value : null;
}

function faulty(name: RequestName, message: string): SessionFrame {
  return { kind: 'faulty', name, rejection: { code: 'INVALID_REQUEST', message } };
}

const ERROR_STATUS_MIN = 400;

/** The frame of an answer. `json`: the text of the data, or of the error from status 400 on. */
export function sessionAnswer({ id, op }: RequestName, status: number, json: string): string {
  const names = `{"id":${id === null ? 'null' : quote(id)},"op":${op === null ? 'null' : quote(op)}`;
  return `${names},"status":${status},"${status < ERROR_STATUS_MIN ? 'data' : 'error'}":${json}}`;
}

/** The headers of a signed request, as members of `args`; '' when absent. */
export interface SessionCredentials {
  readonly apiKey: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly recvWindow: string;
  readonly version: string;
  readonly nonce: string;
}

/** The members of the `args` of auth. */
const AUTH_NAMES = MemberNames.of({
  api_key: {},
  timestamp: {},
  recv_window: {},
  sign: {},
  sign_version: {},
  nonce: {},
  cancel_on_disconnect: {},
  resume: {},
});
const NO_NAMES = MemberNames.of({});

function readArgs(args: unknown, names: MemberNames): OrRejection<JsonObject> {
  return isJsonObject(args) ? names.read(args) : reject('INVALID_REQUEST', 'args is not an object');
}

/** Reads the `args` of auth. The proof itself is checked like that of a request over HTTP. */
export function parseAuth(args: unknown): OrRejection<SessionAuth> {
  const fields = readArgs(args, AUTH_NAMES);
  if (isRejected(fields)) return fields;
  const wishes = wishesOf(fields);
  if (isRejected(wishes)) return wishes;
  const credentials = credentialsOf(fields);
  return isRejected(credentials) ? credentials : { credentials, wishes };
}

function credentialsOf(fields: JsonObject): OrRejection<SessionCredentials> {
  const credentials = {
    apiKey: textOf(fields['api_key']),
    timestamp: textOf(fields['timestamp']),
    signature: textOf(fields['sign']),
    recvWindow: textOf(fields['recv_window']),
    version: textOf(fields['sign_version']),
    nonce: textOf(fields['nonce']),
  };
  const { apiKey, timestamp, signature, recvWindow, version, nonce } = credentials;
  if (apiKey === null) return notText('api_key');
  if (timestamp === null) return notText('timestamp');
  if (signature === null) return notText('sign');
  if (recvWindow === null) return notText('recv_window');
  if (version === null) return notText('sign_version');
  if (nonce === null) return notText('nonce');
  return { apiKey, timestamp, signature, recvWindow, version, nonce };
}

/** What an `auth` says about the end of its session. */
export interface SessionWishes {
  /** null: absent. */
  readonly cancelOnDisconnect: boolean | null;
  /** Id of the session to resume; null: absent. */
  readonly resume: string | null;
}

interface SessionAuth {
  readonly credentials: SessionCredentials;
  readonly wishes: SessionWishes;
}

function wishesOf(fields: JsonObject): OrRejection<SessionWishes> {
  const { cancel_on_disconnect: cancels, resume } = fields;
  if (!isAbsent(cancels) && typeof cancels !== 'boolean') {
    return reject('INVALID_PARAM', `cancel_on_disconnect is ${shown(cancels)}, not true or false`);
  }
  if (!isAbsent(resume) && !isSessionId(resume)) {
    return reject('INVALID_PARAM', `resume is ${shown(resume)}, not the id of a session`);
  }
  return { cancelOnDisconnect: isAbsent(cancels) ? null : cancels, resume: isAbsent(resume) ? null : resume };
}

function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= SESSION_ID_CHARACTERS_MAX;
}

function notText(name: string): ReturnType<typeof reject> {
  return reject('INVALID_PARAM', `${name} is not a string or an integer`);
}

function textOf(value: unknown): string | null {
  if (isAbsent(value)) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** The query string of a request that changes orders and has no parameters. Refuses members of `args`. */
export function emptyQueryOf(args: unknown): OrRejection<string> {
  const fields = isAbsent(args) ? {} : readArgs(args, NO_NAMES);
  return isRejected(fields) ? fields : '';
}

/** The query string with the members of `args`; an array repeats its name. */
export function queryOf(args: unknown): OrRejection<string> {
  if (isAbsent(args)) return '';
  if (!isJsonObject(args)) return reject('INVALID_REQUEST', 'args is not an object');
  const pairs: string[] = [];
  for (const [name, given] of Object.entries(args)) {
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const value of values.filter((one) => !isAbsent(one))) {
      const pair = pairOf(name, value);
      if (pair === null) return reject('INVALID_PARAM', `${shown(name)} is not a text, a number, true or false`);
      pairs.push(pair);
    }
  }
  return pairs.join('&');
}

/** null: the value has no form in a query. */
function pairOf(name: string, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  try {
    return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  } catch {
    // Half of a surrogate pair is no Unicode text.
    return null;
  }
}
