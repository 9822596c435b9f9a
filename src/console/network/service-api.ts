import { RestClient } from '../../client/rest-client.js';
import type { SignedRequests } from '../../client/signed-requests.js';
import { SluiceError } from '../../client/sluice-error.js';
import type { KillSwitch, MultiLegOrderRequest, OrderDetails, OrderRequest, OrderSummary } from '../../client/wire.js';
import type { QueryValue } from '../../client/wire.js';
import type { CreationWindow, OrderPage } from '../order/order-search.js';

const ORDERS = '/api/v2/trading/order';
const FORBIDDEN = 403;

/** The client library with the requests that only the page sends. */
export class ServiceApi extends RestClient {
  readonly #requests: SignedRequests;

  constructor(requests: SignedRequests) {
    super(requests);
    this.#requests = requests;
  }

  openPage(): Promise<OrderPage> {
    return this.#page('open', {});
  }

  /** The newest orders of an interval within the past three days. */
  findPage({ fromMs, toMs }: CreationWindow, limit: number): Promise<OrderPage> {
    return this.#page('find', { startMs: fromMs ?? undefined, endMs: toMs ?? undefined, limit });
  }

  /**
   * Places an order of one leg, or of several. A refused order resolves too: its summary has the status REJECTED. The
   * order has the texts of the operator: the service reports what is wrong with them.
   */
  place(order: object): Promise<OrderSummary> {
    return 'legs' in order ? this.createMultiLegs(order as MultiLegOrderRequest) : this.create(order as OrderRequest);
  }

  async killSwitch(): Promise<KillSwitch> {
    return (await this.riskLimits()).kill_switch;
  }

  /**
   * True when the key may trade: the service checks the permission before it looks for the order, which does not exist.
   */
  async mayTrade(): Promise<boolean> {
    try {
      await this.cancel({ client_order_id: `permission-check-${crypto.randomUUID()}` });
    } catch (error) {
      if (error instanceof SluiceError && error.status === FORBIDDEN) return false;
      throw error;
    }
    return true;
  }

  async #page(name: string, query: Readonly<Record<string, QueryValue>>): Promise<OrderPage> {
    const { content, text } = await this.#requests.getWithText<OrderList>(`${ORDERS}/${name}`, query);
    return { orders: content.orders, text };
  }
}

interface OrderList {
  readonly orders: readonly OrderDetails[];
}
