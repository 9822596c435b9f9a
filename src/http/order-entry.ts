import { OK, PAYLOAD_TOO_LARGE, UNAUTHORIZED } from '../api/field/error-code.js';
import { quote } from '../api/field/json-text.js';
import {
  emptyQueryOf,
  parseAuth,
  queryOf,
  SESSION_OPERATIONS,
  SESSION_PATH,
  type SessionCredentials,
  type SessionOp,
  type SessionWishes,
} from '../api/stream/session-request.js';
import type { AccountId, ApiKeyId } from '../domain/ids.js';
import { SESSION_BACKLOG_BYTES_MAX } from '../domain/limits/clients.js';
import { isRejected, type OrRejection, type Rejection } from '../domain/rejection.js';
import type { SessionCreates, SessionGrant } from '../domain/session.js';
import type { ReadStream } from '../intake/read-queue.js';
import type { ApiKeyRecord, KeyDirectory } from '../keys/port.js';
import { addressText, networkAddress } from './address-limit.js';
import { RequestCall, type RequestLog } from './call.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import type { Gate } from './gate.js';
import type { AnswerMeters, RouteMeter } from './metrics/answer-meter.js';

/** The answer of a session request. A second answer, or one for a session that has ended, does nothing. */
interface SessionReply {
  /** False after the answer, or when the session has ended. */
  readonly isOpen: boolean;
  /** `json`: the text of the data, or of the error from status 400 on. */
  answer(status: number, json: string): void;
  onGone(listener: () => void): void;
}

/** One request of a session. */
interface SessionRequest {
  readonly args: unknown;
  /** The address of the client as its socket reports it. */
  readonly address: ArrayBuffer;
  readonly reply: SessionReply;
}

/** The key of a session and the address of its client. */
interface SessionHolder {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
  /** IPv4 or IPv6 as text. */
  readonly address: string;
}

/** The same while its session runs. */
interface SessionSender extends SessionHolder {
  /** null: its orders stay open when the session ends. */
  readonly creates: SessionCreates | null;
}

type Join = (
  holder: SessionHolder,
  wishes: SessionWishes,
  answer: (granted: OrRejection<SessionGrant>) => void,
) => void;

export interface OrderEntryParts {
  readonly signed: readonly SignedEndpoint[];
  readonly gate: Gate;
  readonly keys: KeyDirectory;
  readonly meters: AnswerMeters;
  readonly log: RequestLog;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  readonly nextRequestId: () => string;
}

const EMPTY = Buffer.alloc(0);
const NO_CREDENTIALS: SessionCredentials = {
  apiKey: '',
  timestamp: '',
  signature: '',
  recvWindow: '',
  version: '',
  nonce: '',
};

const AUTH_HEAD: RequestCall['head'] = { path: SESSION_PATH, query: '', credentials: NO_CREDENTIALS };

/** The start of a session, signed like a POST with an empty body. */
const START = {
  method: 'POST',
  path: SESSION_PATH,
  needs: 'read',
  budget: 'reads',
  reuse: 'once',
  hasNoBody: true,
} as const;

/** Runs the requests of sessions by the endpoints of REST, so that every rule of REST applies to them. */
export class OrderEntry {
  readonly #parts: OrderEntryParts;
  readonly #byOp: ReadonlyMap<SessionOp, SignedEndpoint>;

  constructor(parts: OrderEntryParts) {
    this.#parts = parts;
    this.#byOp = endpointsByOp(parts.signed);
  }

  /**
   * Proves the sender of a session by the steps of a signed request. `join` is called after the proof. It grants or
   * refuses the session just before the answer.
   */
  authenticate(asked: SessionRequest, join: Join): void {
    const auth = parseAuth(asked.args);
    if (isRejected(auth)) return this.#call(asked, 'auth', AUTH_HEAD).refuse(auth.rejection);
    const { credentials, wishes } = auth;
    const call = this.#call(asked, 'auth', { ...AUTH_HEAD, credentials });
    const handle = ({ account, apiKey }: SignedRequest): void => {
      if (!asked.reply.isOpen) return;
      const record = this.#parts.keys.find(apiKey);
      if (record === null) return call.refuse(REVOKED);
      const holder = { account, apiKey, address: addressText(networkAddress(asked.address)) };
      join(holder, wishes, (granted) => {
        if (isRejected(granted)) call.refuse(granted.rejection);
        else call.answer(OK, grantText(record, granted));
      });
    };
    call.guarded(() => {
      if (!this.#parts.gate.isWithinAddressLimit(call)) return;
      this.#parts.gate.admit(call, { ...START, handle }, { kind: 'body', bytes: EMPTY });
    })();
  }

  /**
   * Runs one operation for the holder of a key. Calls `onAdmitted` when a later request can no longer overtake it, at
   * the latest with its answer.
   */
  run(asked: SessionRequest, op: SessionOp, { apiKey, creates }: SessionSender, onAdmitted: () => void): void {
    const { method, path, budget } = SESSION_OPERATIONS[op];
    const query = method === 'GET' ? (budget === 'reads' ? queryOf(asked.args) : emptyQueryOf(asked.args)) : '';
    const head = { path, query: isRejected(query) ? '' : query, credentials: NO_CREDENTIALS };
    const call = this.#call(asked, op, head);
    const endpoint = this.#byOp.get(op);
    call.onAnswered = onAdmitted;
    call.guarded(() => {
      if (endpoint === undefined) throw new Error(`no endpoint at ${path}`);
      const record = this.#parts.keys.find(apiKey);
      if (record === null) return call.refuse(REVOKED, UNAUTHORIZED);
      // A wrong query takes from the budget too.
      const asEndpoint = isRejected(query) ? { ...endpoint, handle: () => call.refuse(query.rejection) } : endpoint;
      if (creates !== null && endpoint.reuse === 'named') call.countIn(creates);
      const body = method === 'GET' ? undefined : asked.args;
      const given = { session: creates?.number ?? null, onAdmitted, body };
      this.#parts.gate.admitProven(call, record, asEndpoint, given);
      if (endpoint.admitsLater !== true) onAdmitted();
    })();
  }

  #call({ address, reply }: SessionRequest, op: string, head: RequestCall['head']): SessionCall {
    const { log, meters, monotonicMs, nextRequestId } = this.#parts;
    const meter = meters.of(`${SESSION_PATH} ${op}`);
    return new SessionCall({ head, requestId: nextRequestId(), log, address, reply, meter, monotonicMs });
  }
}

function endpointsByOp(signed: readonly SignedEndpoint[]): ReadonlyMap<SessionOp, SignedEndpoint> {
  const byOp = new Map<SessionOp, SignedEndpoint>();
  for (const op of Object.keys(SESSION_OPERATIONS) as SessionOp[]) {
    const { method, path } = SESSION_OPERATIONS[op];
    const endpoint = signed.find((one) => one.method === method && one.path === path);
    if (endpoint !== undefined) byOp.set(op, endpoint);
  }
  return byOp;
}

const REVOKED: Rejection = { code: 'INVALID_API_KEY', message: 'the API key was revoked' };

function grantText({ account, permissions, expiresAtMs }: ApiKeyRecord, granted: SessionGrant): string {
  const expiry = expiresAtMs === null ? '' : `,"expires_at":${expiresAtMs}`;
  const { id, creates, isResumed } = granted;
  const session = `"session":${quote(id)},"cancel_on_disconnect":${creates !== null},"resumed":${isResumed}`;
  return `{"account":${quote(account)},"permissions":${JSON.stringify(permissions)}${expiry},${session}}`;
}

interface SessionCallParts {
  readonly head: RequestCall['head'];
  readonly requestId: string;
  readonly log: RequestLog;
  readonly address: ArrayBuffer;
  readonly reply: SessionReply;
  /** Counts the answer. */
  readonly meter: RouteMeter;
  readonly monotonicMs: () => number;
}

/** A request of a session, as the endpoints see it. */
class SessionCall extends RequestCall {
  readonly head: RequestCall['head'];
  readonly #parts: SessionCallParts;
  readonly #beganAtMs: number;
  #onGone: () => void = () => undefined;
  /** Called with the answer, also when the session has ended. */
  onAnswered: () => void = () => undefined;
  /** null: it is not counted, or it has its answer. */
  #countedIn: SessionCreates | null = null;

  constructor(parts: SessionCallParts) {
    super(parts.requestId, parts.log);
    this.head = parts.head;
    this.#parts = parts;
    this.#beganAtMs = parts.monotonicMs();
  }

  get isOver(): boolean {
    return !this.#parts.reply.isOpen;
  }

  remoteAddress(): ArrayBuffer {
    return this.#parts.address;
  }

  /** Counts the request as open until its answer, which may come after the end of the session. */
  countIn(creates: SessionCreates): void {
    creates.openCount += 1;
    this.#countedIn = creates;
  }

  answer(statusLine: string, body: string): void {
    const { reply, meter, monotonicMs } = this.#parts;
    if (this.#countedIn !== null) this.#countedIn.openCount -= 1;
    this.#countedIn = null;
    if (reply.isOpen) {
      meter.note(statusLine, monotonicMs() - this.#beganAtMs);
      reply.answer(Number.parseInt(statusLine, 10), body);
    }
    this.onAnswered();
  }

  stream(): ReadStream | null {
    if (!this.#parts.reply.isOpen) return null;
    return new GatheredAnswer(
      (text) => this.answer(OK, text),
      (rejection, statusLine) => {
        this.refuse(rejection, statusLine);
        this.#onGone();
      },
    );
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
    this.#parts.reply.onGone(listener);
  }
}

/** Gathers the parts of a large answer: a session sends each answer as one frame. */
class GatheredAnswer implements ReadStream {
  readonly #onDone: (text: string) => void;
  readonly #onFailed: (rejection: Rejection, statusLine?: string) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #isClogged = false;

  constructor(onDone: (text: string) => void, onFailed: (rejection: Rejection, statusLine?: string) => void) {
    this.#onDone = onDone;
    this.#onFailed = onFailed;
  }

  /** True once the answer has become too large: no further part is wanted. */
  get isClogged(): boolean {
    return this.#isClogged;
  }

  write(bytes: Uint8Array): void {
    if (this.#isClogged) return;
    this.#parts.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#bytes <= SESSION_BACKLOG_BYTES_MAX) return;
    this.#isClogged = true;
    this.#parts = [];
    // The reader ends its job after this part, not while it hands the part over.
    queueMicrotask(() => this.#onFailed(TOO_LARGE, PAYLOAD_TOO_LARGE));
  }

  end(): void {
    if (!this.#isClogged) this.#onDone(Buffer.concat(this.#parts).toString('utf8'));
  }

  cut(): void {
    if (!this.#isClogged) this.#onFailed(INTERRUPTED);
  }
}

const TOO_LARGE: Rejection = {
  code: 'INVALID_REQUEST',
  message: `the request was carried out, but its answer is larger than ${SESSION_BACKLOG_BYTES_MAX} bytes: read the orders over HTTP, which sends them in parts`,
};
const INTERRUPTED: Rejection = { code: 'SYSTEM_BUSY', message: 'the answer could not be read; try again' };
