import type { AccountId, ApiKeyId, SessionNumber } from '../domain/ids.js';
import { OK, RETRY_AFTER_HEADER } from '../api/field/error-code.js';
import type { ReadRecipient } from '../intake/read-queue.js';
import type { BudgetName } from './rate-limit.js';
import type { Call, RequestCall } from './call.js';
import type { Permission } from '../keys/port.js';
import type { StaticFile } from './static-files.js';

/** A request that passed authentication, permission and budget. */
export interface SignedRequest {
  readonly call: RequestCall;
  readonly account: AccountId;
  /** The key of its signature. */
  readonly apiKey: ApiKeyId;
  /** The session that cancels its orders at its end; null: none. */
  readonly session: SessionNumber | null;
  /** Called when no later request of the session can overtake it; null: the transport keeps no order. */
  readonly onAdmitted: (() => void) | null;
  /** Takes more requests from the budget when the answer is larger than one request covers. */
  readonly charge: (count: number) => void;
  /** The parsed JSON body of a POST; undefined for a GET. */
  readonly body: unknown;
}

/** One row of the routing table. */
export interface SignedEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly needs: Permission;
  readonly budget: BudgetName;
  /**
   * Rule for a signature that was used before. 'named': it may place orders with client_order_id again, with the same
   * path. 'same path': the same request again, with the same path. 'remembered': any use. It is recorded, and requests
   * that place orders at another path refuse the signature. 'once': one use. Absent: any use, also when it cannot be
   * recorded.
   */
  readonly reuse?: 'named' | 'same path' | 'remembered' | 'once';
  /** True: the body is signed but not read. */
  readonly hasNoBody?: true;
  /** True: a POST without body is read as one with an empty object. */
  readonly isBodyOptional?: true;
  /** Requests that it takes from the budget; absent: 1. */
  readonly weigh?: (body: unknown) => number;
  /** True: `handle` calls `onAdmitted`. Absent: the request is admitted when `handle` returns. */
  readonly admitsLater?: true;
  /** Answers the call once, now or later. An exception during the call is answered with 500. */
  readonly handle: (request: SignedRequest) => void;
}

/** A GET that needs no key. */
export interface OpenEndpoint {
  readonly path: string;
  readonly handle: (call: Call) => void;
}

/** Pages with their files, and documents: each file at its path. */
export function fileEndpoints(files: readonly StaticFile[]): readonly OpenEndpoint[] {
  return files.map((file) => ({ path: file.path, handle: (call) => call.answerFile(file) }));
}

/** Recipient of a list over HTTP. */
export function recipientOf({
  call,
  account,
  charge,
}: Pick<SignedRequest, 'call' | 'account' | 'charge'>): ReadRecipient {
  return {
    account,
    charge,
    answer: (text) => call.answer(OK, text),
    isGone: () => call.isOver,
    fail: (error) => call.fail(error),
    refuse: (rejection) => {
      const isLimit = rejection.code === 'RATE_LIMIT_EXCEEDED';
      call.refuse(rejection, undefined, isLimit ? RETRY_AFTER_HEADER : '');
    },
    stream: (onDrained) => call.stream(onDrained),
    onGone: (listener) => call.onGone(listener),
  };
}
