import { LIST_WAIT_MS, REFUSED_TIME_AGAIN_MS } from '../../domain/limits/live.js';
import { type OrRejection, reject, Rejected, type Rejection } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';
import type { ApiSocket, SocketAnswer } from './transport/api-socket.js';
import { parseExactJson } from './json/exact-json.js';
import type { HttpAnswer, HttpRequest, HttpsClient } from './transport/https-client.js';
import { WrongRequest } from './wire-guard.js';

/** An error answer of an exchange, as its dialect judges it. */
export interface ExchangeError {
  /** The HTTP status. */
  readonly status: number;
  /** null: the answer has no code of the exchange. */
  readonly code: number | null;
  readonly message: string;
  /** Milliseconds; null: the answer names no time. */
  readonly retryAfterMs: number | null;
}

/**
 * What became of a request. `unsent`: nothing has left. `error`: the exchange has answered with an error. `lost`: no
 * answer, or one that is not the exchange's; the request may be carried out. Its `reason` is for people.
 */
export type Outcome =
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'error'; readonly error: ExchangeError }
  | { readonly kind: 'unsent'; readonly rejection: Rejection }
  | { readonly kind: 'lost'; readonly reason?: string };

/** The definite refusal that an error answer states; null: the outcome is unknown. */
type RefusalOf = (error: ExchangeError) => Rejection | null;

/** A request that a check has stopped. */
export function unsent(error: WrongRequest): Extract<Outcome, { readonly kind: 'unsent' }> {
  return { kind: 'unsent', rejection: { code: 'INVALID_ORDER', message: error.message } };
}

/** A request that a limit has stopped. */
export function beyondLimit(rejection: Rejection): Extract<Outcome, { readonly kind: 'unsent' }> {
  return { kind: 'unsent', rejection };
}

/** A definite refusal of a change, or an outcome that must be asked for. */
export function refusedOrUnknown(
  outcome: Exclude<Outcome, { readonly kind: 'answer' }>,
  refusalOf: RefusalOf,
): { readonly kind: 'refused'; readonly rejection: Rejection } | { readonly kind: 'unknown' } {
  if (outcome.kind === 'unsent') return { kind: 'refused', rejection: outcome.rejection };
  const rejection = outcome.kind === 'error' ? refusalOf(outcome.error) : null;
  if (rejection === null) return { kind: 'unknown' };
  // The clock is at fault, not the order.
  const isTime = rejection.code === 'INVALID_TIMESTAMP';
  return {
    kind: 'refused',
    rejection: isTime ? { ...rejection, retryAfterMs: REFUSED_TIME_AGAIN_MS as DurationMs } : rejection,
  };
}

/** What sends requests about orders. */
interface Requests<Arguments extends readonly unknown[]> {
  send(...request: Arguments): Promise<Outcome>;
}

/** Sends requests, and reports each one that the exchange refuses for its timestamp, also a look-up or a list. */
export function reportingTime<Arguments extends readonly unknown[]>(
  requests: Requests<Arguments>,
  refusalOf: RefusalOf,
  onRefusedTime: () => void,
): Requests<Arguments> {
  return {
    send: async (...request) => {
      const outcome = await requests.send(...request);
      if (outcome.kind === 'error' && refusalOf(outcome.error)?.code === 'INVALID_TIMESTAMP') onRefusedTime();
      return outcome;
    },
  };
}

/** The body of a read, or why there is none. `name`: exchange and request. */
export function bodyOf(
  outcome: Outcome,
  [venue, request]: readonly [string, string],
  refusalOf: RefusalOf,
): OrRejection<unknown> {
  switch (outcome.kind) {
    case 'answer':
      return outcome.body;
    case 'unsent':
      return new Rejected(outcome.rejection);
    case 'error': {
      const { status, code, message } = outcome.error;
      const rejection = refusalOf(outcome.error);
      if (rejection !== null) return new Rejected(rejection);
      return reject('EXCHANGE_ERROR', `${venue} answers ${request} with ${code ?? status}: ${message}`);
    }
    case 'lost':
      return reject('NETWORK_ERROR', `${venue} has not answered ${request}${why(outcome.reason)}`);
  }
}

function why(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

/** Sends a read again while a limit has stopped it, at most `waitsMax` times. */
export async function sendInTime(send: () => Promise<Outcome>, waitsMax: number): Promise<Outcome> {
  for (let waits = 0; ; waits += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const outcome = await send();
    if (outcome.kind !== 'unsent' || waits >= waitsMax) return outcome;
    const waitMs = outcome.rejection.retryAfterMs ?? LIST_WAIT_MS;
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
  }
}

/** One request that may leave on a socket. */
export interface SocketRequest {
  /** null: the request has no form on the socket, or the connection is not logged on. */
  readonly socket: Pick<ApiSocket, 'isOpen' | 'request'> | null;
  /** Counts the request. null: it may leave now. */
  readonly take: () => Rejection | null;
  /** The text that leaves, after its last check. Throws WrongRequest for a text that must not leave. */
  readonly write: (id: string) => string;
  readonly read: (answer: SocketAnswer) => Outcome;
  readonly byRest: () => Promise<Outcome>;
}

/**
 * Sends a request once, on one way only: by REST when the socket cannot take it before it leaves. An answer that does
 * not come is never a reason to send again.
 */
export async function sendOnce({ socket, take, write, read, byRest }: SocketRequest): Promise<Outcome> {
  if (socket?.isOpen !== true) return byRest();
  const rejection = take();
  if (rejection !== null) return beyondLimit(rejection);
  try {
    const answer = await socket.request(write);
    return answer === null ? { kind: 'lost' } : read(answer);
  } catch (error) {
    if (error instanceof WrongRequest) return unsent(error);
    throw error;
  }
}

/** One answer by REST. `body`: its parsed text; undefined: it is no JSON. */
export interface RestAnswer extends HttpAnswer {
  readonly body: unknown;
}

/** One request by REST. */
export interface RestRequest {
  /** The bytes that leave, after their last check. Throws WrongRequest for a request that must not leave. */
  readonly write: () => HttpRequest;
  /** The error that an answer states; null: it states none. */
  readonly errorOf: (answer: RestAnswer) => ExchangeError | null;
  /** Gets the headers of each answer, also of an error. */
  readonly onHeaders?: (headers: HttpAnswer['headers']) => void;
}

/** Sends one request by REST, once. */
export async function sendByRest(
  client: Pick<HttpsClient, 'send'>,
  { write, errorOf, onHeaders }: RestRequest,
): Promise<Outcome> {
  let request: HttpRequest;
  try {
    request = write();
  } catch (error) {
    if (error instanceof WrongRequest) return unsent(error);
    throw error;
  }
  const answer = await client.send(request);
  if (!('status' in answer)) return { kind: 'lost', reason: answer.reason };
  onHeaders?.(answer.headers);
  const body = jsonIn(answer.text);
  const error = errorOf({ ...answer, body });
  return error === null ? { kind: 'answer', body } : { kind: 'error', error };
}

function jsonIn(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Longest part of an answer that is read for a message, and longest message, in characters. */
const PAGE_MAX = 2_000;
const TEXT_MAX = 200;

/** The message of an error answer: its own, or the words at the beginning of a page. */
export function messageIn(own: unknown, text: string): string {
  if (typeof own === 'string') return own;
  const words = text
    .slice(0, PAGE_MAX)
    .replaceAll(/<[^>]*>?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words === '' ? 'no text' : words.slice(0, TEXT_MAX);
}
