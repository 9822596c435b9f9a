import type { SignedOperation } from '../contract/operation.js';
import type { AccountId } from '../model/ids.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { ReadQuestion } from '../route/read-question.js';
import type { SignedEndpoint } from './endpoint.js';
import { OK } from './errors.js';
import { parseQuery, type Query } from './parse/query-string.js';
import type { ReadDesk } from './read/read-desk.js';

/** A GET whose answer is a list of the journal: `ask` gives what to read, or says what is wrong with the query. */
export function reading(
  operation: SignedOperation,
  reads: ReadDesk,
  ask: (query: Query, account: AccountId) => OrRejection<ReadQuestion>,
): SignedEndpoint {
  return {
    ...operation,
    handle: (request) => {
      const { call, account } = request;
      const query = parseQuery(call.head.query);
      if (isRejected(query)) return call.refuse(query.rejection);
      const question = ask(query, account);
      if (isRejected(question)) call.refuse(question.rejection);
      else reads.answer(request, question);
    },
  };
}

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
