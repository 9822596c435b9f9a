import type { AccountId, ClientOrderId } from '../model/ids.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import type { OrRejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import { draftOf } from './parse/order-draft.js';
import { parseOrderRequest, type OrderRequest } from './parse/order-request.js';
import { digestOf } from './parse/request-digest.js';
import type { RequestedTimes } from './parse/trade-times.js';
import type { ParentOrderDraft } from './port.js';

/** What creates of every kind have in common. */
export interface FormedRequest {
  readonly clientOrderId: ClientOrderId | null;
  readonly times: RequestedTimes;
}

export type DraftAnswer = (draft: OrRejection<ParentOrderDraft>) => void;

/** How the creates of one kind are read, told apart by their meaning, and made into orders. */
export interface OrderForm<Request extends FormedRequest> {
  readonly parse: (body: unknown) => OrRejection<Request>;
  readonly digest: (request: Request) => string;
  /** Answers once: at once, or when what it asks of the market has been told. */
  readonly draft: (request: Request, digest: string, account: AccountId, answer: DraftAnswer) => void;
}

export function singleLegForm(catalogue: InstrumentCatalogue, clock: Clock): OrderForm<OrderRequest> {
  return {
    parse: (body) => parseOrderRequest(body, catalogue),
    digest: digestOf,
    draft: (request, digest, account, answer) => answer(draftOf(request, digest, account, clock.nowMs())),
  };
}
