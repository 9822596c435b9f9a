import type { GuardrailDesk, OrderDesk as GuardedDesk, OrderReview } from './http/port.js';
import type { GuardrailDirectory } from './journal/identity/index.js';
import type { StateReader } from './journal/port.js';
import { noGuardrailCounts } from './model/guardrail.js';
import type { InstrumentCatalogue } from './model/instrument.js';
import { AccountBooks } from './route/guardrail/account-books.js';
import { GuardedOrderDesk } from './route/guardrail/guarded-order-desk.js';
import { MidsDesk } from './route/guardrail/mids-desk.js';
import type { OrderDesk } from './route/order-desk.js';
import type { PositionDesk } from './route/position-desk.js';
import type { PriceDesk } from './route/price-desk.js';

export interface ServiceGuardrailsParts {
  readonly directory: Pick<GuardrailDirectory, 'boundsOf' | 'onChange'>;
  readonly orders: OrderDesk;
  readonly prices: PriceDesk;
  readonly positions: PositionDesk;
  readonly reader: StateReader;
  readonly catalogue: InstrumentCatalogue;
  readonly nowRealMs: () => number;
}

/** The order desk behind its guardrails, put together. */
export interface ServiceGuardrails {
  readonly desk: GuardedDesk & OrderReview;
  readonly guardrails: GuardrailDesk;
  /** What must hear of the events of who is counted. */
  readonly books: AccountBooks;
}

export function serviceGuardrails(parts: ServiceGuardrailsParts): ServiceGuardrails {
  const { directory, orders, prices, positions, reader, catalogue, nowRealMs } = parts;
  const mids = new MidsDesk((instrument, answer) => prices.twiceMid(instrument, answer));
  const books = new AccountBooks({
    catalogue,
    mids,
    reader,
    soon: (run) => void setImmediate(run),
    pendingOrders: (account) => orders.pendingOrders(account),
    positions: (account, venue, answer) => positions.positions(account, venue, answer),
    nowRealMs,
  });
  const counts = noGuardrailCounts();
  const boundsOf: GuardrailDesk['boundsOf'] = (account, apiKey) => directory.boundsOf(account, apiKey);
  const storedState = (orderId: Parameters<StateReader['order']>[0]): ReturnType<StateReader['order']> =>
    reader.order(orderId);
  const desk = new GuardedOrderDesk({ desk: orders, boundsOf, books, mids, catalogue, storedState, counts });
  directory.onChange(() => books.forget());
  return {
    desk,
    guardrails: { boundsOf, usageOf: (account, by, answer) => desk.usageOf(account, by, answer), counts },
    books,
  };
}
