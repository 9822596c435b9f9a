import type { TObject, TSchema } from '@sinclair/typebox';

/** Documentation of one path and method; the routing table uses it too. */
interface OperationText {
  /** Unique; the name of the operation in generated clients. */
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

/** An operation that needs a key: its permission and its budget. */
export interface SignedOperation extends OperationText {
  readonly method: 'GET' | 'POST';
  readonly needs: 'read' | 'trade';
  readonly budget: 'orders' | 'cancels' | 'reads';
  /** Parameters of the query string; null: there are none. */
  readonly query: TObject | null;
  /** null for a GET. */
  readonly body: TSchema | null;
  /** True: a POST without body is accepted. */
  readonly isBodyOptional?: true;
}

/** A GET without a key. */
export interface OpenOperation extends OperationText {
  readonly contentType: 'application/json' | 'text/html' | 'text/plain';
  /** True for a probe: it answers 503 with the same schema while its condition is false. */
  readonly isProbe: boolean;
  /** True: requests from this machine need no token. Others need the bearer token, or are answered 401. */
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
