import { eventually } from '../system/eventually.js';
import type { OrderName } from './known-world.js';
import type { Target } from './target.js';

interface Order {
  readonly order_id: number;
  readonly client_order_id?: string;
  readonly status: string;
}

const ORDERS = '/api/v2/trading/order';
const IDS_PER_QUERY = 200;

/** Ends every order and checks that each acknowledged order exists. Resolves with the problems. */
export async function settle(target: Target, acknowledged: readonly OrderName[]): Promise<string[]> {
  const problems = await endAll(target);
  for (let from = 0; from < acknowledged.length; from += IDS_PER_QUERY) {
    const part = acknowledged.slice(from, from + IDS_PER_QUERY);
    const orders = await ordersOf(target, 'byId', `orderIds=${part.map(({ orderId }) => orderId).join()}`);
    const byId = new Map(orders.map((order) => [order.order_id, order]));
    for (const { orderId, clientOrderId } of part) {
      const order = byId.get(orderId);
      if (order === undefined) problems.push(`acknowledged order ${orderId} is lost`);
      else if (order.client_order_id !== clientOrderId) problems.push(`order ${orderId} has another client order id`);
    }
  }
  return problems;
}

async function endAll(target: Target): Promise<string[]> {
  await ordersOf(target, 'cancelAll');
  const openOrders = async (): Promise<string[]> =>
    (await ordersOf(target, 'open')).map(({ order_id: id, status }) => `${id} ${status}`);
  try {
    await eventually(openOrders, (open) => open.length === 0);
    return [];
  } catch (error) {
    return [`orders do not end after cancelAll: ${String(error).slice(0, 500)}`];
  }
}

async function ordersOf(target: Target, name: string, query = ''): Promise<readonly Order[]> {
  return ((await target.get(`${ORDERS}/${name}`, query)) as { orders: readonly Order[] }).orders;
}
