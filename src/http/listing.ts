import type { AccountId } from '../model/ids.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { SignedEndpoint } from './endpoint.js';
import { OK } from './errors.js';
import { parseQuery, type Query } from './parse/query-string.js';

/** A GET whose answer is read at once: `ask` gives its JSON text, or says what is wrong with the query. */
export function listing(path: string, ask: (query: Query, account: AccountId) => OrRejection<string>): SignedEndpoint {
  return {
    method: 'GET',
    path,
    needs: 'read',
    budget: 'reads',
    handle: ({ call, account }) => {
      const query = parseQuery(call.head.query);
      if (isRejected(query)) return call.refuse(query.rejection);
      const text = ask(query, account);
      if (isRejected(text)) call.refuse(text.rejection);
      else call.answer(OK, text);
    },
  };
}
