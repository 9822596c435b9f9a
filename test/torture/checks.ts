import { TERMINAL_STATUSES, type SluiceClient } from '../../src/client/index.js';
import { eventually } from '../system/eventually.js';
import { exact, textOf, type Exact, type ExactOrder, type ExactReader } from './exact.js';
import { fillDifferences, recordedFills, sumsOf, type Precision } from './exchange-records.js';
import { place, type Acknowledged, type AnyRequest, type Ledger } from './ledger.js';

const IDS_PER_QUERY = 200;
/** Statuses of an order that was paused and not resumed: it may have expired, or a late fill may have completed it. */
const AFTER_PAUSE: ReadonlySet<string> = new Set(['PENDING_PAUSE', 'PAUSED', 'EXPIRED', 'FILLED']);
const START_BALANCES: Readonly<Record<string, string>> = { USDT: '1000000', BTC: '10', ETH: '100', SOL: '1000' };

/** Checks that each acknowledged order exists, with its own client id and its exact quantity. */
export async function checkAcknowledged(
  reader: ExactReader,
  ledger: Ledger,
  orders: readonly (readonly [string, Acknowledged])[],
): Promise<string[]> {
  const found = await reader.byId(orders.map(([, { orderId }]) => orderId));
  const byId = new Map(found.map((order) => [Number(order.order_id), order]));
  return orders.flatMap(([clientOrderId, { orderId, request }]) => {
    const order = byId.get(orderId);
    if (order === undefined) return [`acknowledged order ${orderId} is lost`];
    const asked = [quantityOf(request), ...(ledger.amended.get(orderId) ?? [])];
    return orderProblem(order, clientOrderId, asked);
  });
}

function orderProblem(order: ExactOrder, clientOrderId: string, asked: readonly string[]): string[] {
  const { order_id: orderId, filled_quantity: filled, leaves_quantity: leaves } = order;
  if (order.client_order_id !== clientOrderId) return [`order ${orderId} has another client id`];
  if (order.error_code === 'SYSTEM_BUSY') return [`order ${orderId} was ended because of a busy service`];
  const whole = exact(filled) + exact(leaves);
  if (asked.some((quantity) => exact(quantity) === whole)) return [];
  return [`order ${orderId}: filled ${filled} + leaves ${leaves} equals none of ${asked.join(', ')}`];
}

/** Quantity of a request in base units; for a pair that of its first leg. */
export function quantityOf(request: AnyRequest): string {
  return String('legs' in request ? request.legs[0]?.target_value : request.quantity);
}

/** Repeats unanswered requests: each order must be placed exactly once. */
export async function resolveUnanswered(client: SluiceClient, ledger: Ledger): Promise<number> {
  const unanswered = [...ledger.unanswered.values()];
  for (const request of unanswered) {
    const before = await client.byId({ clientOrderIds: [request.client_order_id as string] });
    await place(client, ledger, request);
    const after = await client.byId({ clientOrderIds: [request.client_order_id as string] });
    if (after.length !== 1) throw new Error(`${request.client_order_id} names ${after.length} orders`);
    if (before.length === 1 && before[0]?.order_id !== after[0]?.order_id) {
      throw new Error(`${request.client_order_id} was placed a second time`);
    }
  }
  return unanswered.length;
}

/** Checks that orders acknowledged as paused are not worked. */
export async function checkPaused(client: SluiceClient, { paused }: Ledger): Promise<string[]> {
  const problems: string[] = [];
  const ids = [...paused];
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    for (const { order_id: id, status } of await client.byId({ orderIds: ids.slice(from, from + IDS_PER_QUERY) })) {
      if (!AFTER_PAUSE.has(status)) problems.push(`order ${id} was paused, but is ${status}`);
      if (TERMINAL_STATUSES.includes(status)) paused.delete(id);
    }
  }
  return problems;
}

/** Checks that no order stays open after its end time. */
export async function checkOverdue(client: SluiceClient): Promise<string[]> {
  const overdue = async (): Promise<string[]> => {
    const { service_time: nowMs } = await client.ping();
    const open = await client.open();
    const late = open.filter(({ end_time: endTime }) => endTime !== undefined && endTime < nowMs);
    return late.map(({ order_id: id, status, end_time: endTime }) => `order ${id} is ${status} after ${endTime}`);
  };
  return eventually(overdue, (late) => late.length === 0).catch((error: unknown) => [String(error)]);
}

/** Cancels all open orders and waits until none is open. Throws when they do not end. */
export async function settleAll(client: SluiceClient): Promise<void> {
  await client.cancelAll();
  await eventually(
    async () =>
      (await client.open()).map(({ order_id, status, leaves_quantity }) => `${order_id} ${status} ${leaves_quantity}`),
    (open) => open.length === 0,
  );
}

/** Data from outside the service that its answers are checked against. */
export interface Witness {
  readonly dataDir: string;
  readonly account: string;
  readonly precisionOf: (exchange: string, symbol: string) => Precision;
}

/**
 * Checks, while no order is open, that the service shows each fill in the exchange's store once. The balances must
 * equal the start balances plus these fills. All comparisons are exact.
 */
export async function checkFills(
  reader: ExactReader,
  ledger: Ledger,
  exchange: string,
  { dataDir, account, precisionOf }: Witness,
): Promise<string[]> {
  const ids = [...ledger.acknowledged.values()].map(({ orderId }) => orderId);
  const shown = await reader.trades(exchange, ids);
  const recorded = await recordedFills(dataDir, { account, exchange }, precisionOf);
  const known = new Set(ids);
  // Fills of orders that a restore has lost count for the balances only.
  const expected = ledger.hasLostOrders ? recorded.filter(({ orderId }) => known.has(orderId)) : recorded;
  return [...fillDifferences(shown, expected), ...(await checkBalances(reader, exchange, sumsOf(recorded)))];
}

/** Checks that the balances at the exchange equal the start balances plus these sums, and that all of it is free. */
export async function checkBalances(
  reader: ExactReader,
  exchange: string,
  sums: ReadonlyMap<string, Exact>,
): Promise<string[]> {
  const expected = new Map(Object.entries(START_BALANCES).map(([asset, amount]) => [asset, exact(amount)]));
  for (const [asset, sum] of sums) expected.set(asset, (expected.get(asset) ?? 0n) + sum);
  const balances = new Map((await reader.balances(exchange)).map((balance) => [balance.symbol, balance]));
  return [...expected].flatMap(([asset, amount]) => {
    const { balance = '0', free = '0' } = balances.get(asset) ?? {};
    return [
      ...(exact(balance) === amount ? [] : [`${asset}: balance ${balance}, but the fills give ${textOf(amount)}`]),
      ...(exact(free) === exact(balance) ? [] : [`${asset}: ${free} of ${balance} is free although no order is open`]),
    ];
  });
}

/** Returns the details of terminal orders, which must not change later. */
export async function terminalDigest(client: SluiceClient, orderIds: readonly number[]): Promise<Map<number, string>> {
  const digest = new Map<number, string>();
  for (let from = 0; from < orderIds.length; from += IDS_PER_QUERY) {
    for (const order of await client.byId({ orderIds: orderIds.slice(from, from + IDS_PER_QUERY) })) {
      if (TERMINAL_STATUSES.includes(order.status)) digest.set(order.order_id, JSON.stringify(order));
    }
  }
  return digest;
}
