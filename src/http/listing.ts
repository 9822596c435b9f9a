import type { SignedOperation } from '../contract/operation.js';
import type { AccountId } from '../model/ids.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { SignedEndpoint } from './endpoint.js';
import { OK } from './errors.js';
import { parseQuery, type Query } from './parse/query-string.js';

/** A GET whose answer is read at once: `ask` gives its JSON text, or says what is wrong with the query. */
export function listing(
  operation: SignedOperation,
  ask: (query: Query, account: AccountId) => OrRejection<string>,
): SignedEndpoint {
  return {
    ...operation,
    handle: ({ call, account }) => {
      const query = parseQuery(call.head.query);
      if (isRejected(query)) return call.refuse(query.rejection);
      const text = ask(query, account);
      if (isRejected(text)) call.refuse(text.rejection);
      else call.answer(OK, text);
    },
  };
}
