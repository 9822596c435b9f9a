import type { TObject, TSchema } from '@sinclair/typebox';

/** What the documents say of one path and method, and what the routing table takes from it. */
interface OperationText {
  /** Unique; names the operation in generated clients. */
  readonly id: string;
  readonly path: string;
  readonly group: 'Trading' | 'Market data' | 'Status' | 'Documents';
  readonly summary: string;
  readonly description: string;
  readonly success: Success;
}

export interface Success {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: TSchema;
}

/** Needs a key: its permission, and the budget that the request is taken from. */
export interface SignedOperation extends OperationText {
  readonly method: 'GET' | 'POST';
  readonly needs: 'read' | 'trade';
  readonly budget: 'orders' | 'cancels' | 'reads';
  /** Parameters of the query string; null when it has none. */
  readonly query: TObject | null;
  /** null for a GET. */
  readonly body: TSchema | null;
}

/** A GET that needs no key. */
export interface OpenOperation extends OperationText {
  readonly contentType: 'application/json' | 'text/html' | 'text/plain';
  /** Answered 503 with the same schema while it is not so. */
  readonly isProbe: boolean;
  /** Anybody on this machine may; others need the bearer token, or are answered 401. */
  readonly isGuarded: boolean;
}

export function isSigned(operation: SignedOperation | OpenOperation): operation is SignedOperation {
  return 'needs' in operation;
}

/** A POST that places orders. */
export const PLACING = { method: 'POST', needs: 'trade', budget: 'orders', group: 'Trading', query: null } as const;
/** A POST that cancels orders. */
export const CANCELLING = { method: 'POST', needs: 'trade', budget: 'cancels', group: 'Trading', query: null } as const;
/** A GET that only reads. */
export const READING = { method: 'GET', needs: 'read', budget: 'reads', group: 'Trading', body: null } as const;
