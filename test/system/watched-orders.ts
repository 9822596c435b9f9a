import type { OrderDetails, OrderRequest, SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { accepted } from './live-site.js';

/* Orders that work while their markets change. */

const TWAP_SECONDS = '150';
/** Code of a maker child that would have crossed: it is refused in any market, and placed again. */
const CROSSING = 'INVALID_LIMIT_PRICE';
const TERMINAL = new Set(['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED']);

type Place = Pick<OrderRequest, 'exchange' | 'symbol' | 'asset_category'>;

export function twap(place: Place, quantity: string): OrderRequest {
  const params = { duration_seconds: TWAP_SECONDS, trading_style: 'AGGRESSIVE' } as const;
  return { ...place, side: 'SELL', strategy: 'TWAP', quantity, params };
}

export function resting(place: Place, quantity: string, price: string): OrderRequest {
  return { ...place, side: 'BUY', strategy: 'LIMIT', quantity, limit_price: price };
}

/** The answer to a create that is refused. */
export function refused(code: string): object {
  return { status: 'REJECTED', error_code: code };
}

export function isFilledInPart({ filled_quantity: filled }: OrderDetails): boolean {
  return filled > 0;
}

export function isTerminal({ status }: OrderDetails): boolean {
  return TERMINAL.has(status);
}

export interface WatchedOrders {
  /** Creates an order and returns its id. */
  readonly place: (order: OrderRequest) => Promise<number>;
  readonly order: (id: number) => Promise<OrderDetails>;
  readonly ended: (id: number) => Promise<OrderDetails>;
  /** Codes of the children of an order that were refused, without those that would have crossed. */
  readonly refusals: (id: number) => Promise<readonly string[]>;
  /** The reasons, in the words of a user. */
  readonly reasons: (id: number) => Promise<readonly string[]>;
}

export function watched(client: SluiceClient): WatchedOrders {
  const order = async (id: number): Promise<OrderDetails> => (await client.byId({ orderIds: [id] }))[0]!;
  const rejected = async (id: number) => {
    const { events } = await client.timeline({ orderId: id });
    return events.filter(({ event }) => event === 'ChildRejected');
  };
  return {
    order,
    place: (request) => accepted(client, request),
    ended: (id) => eventually(() => order(id), isTerminal),
    refusals: async (id) => (await rejected(id)).flatMap(({ error_code: code }) => (code === CROSSING ? [] : [code!])),
    reasons: async (id) => (await rejected(id)).map(({ message }) => message ?? ''),
  };
}
