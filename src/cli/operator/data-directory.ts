import { isRejected, type OrRejection, type RejectionCode } from '../../domain/rejection.js';
import { CommandFailure, UsageError } from '../context.js';

/** Codes of a wrong argument or setting. */
const WRONG_USAGE: ReadonlySet<RejectionCode> = new Set(['INVALID_PARAM', 'INVALID_EXCHANGE']);

/** Returns the value of a result. Throws for a rejection: UsageError for WRONG_USAGE, otherwise CommandFailure. */
export function granted<Value>(result: OrRejection<Value>): Value {
  if (!isRejected<unknown>(result)) return result;
  const { code, message } = result.rejection;
  throw WRONG_USAGE.has(code) ? new UsageError(message) : new CommandFailure(message);
}
