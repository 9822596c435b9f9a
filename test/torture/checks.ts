import { createHmac } from 'node:crypto';
import { decodeSecret, TERMINAL_STATUSES, type SluiceClient } from '../../src/client/index.js';
import { formatAmount, parseAmount, ZERO_AMOUNT, type Amount } from '../../src/model/amount.js';
import type { KeyOf } from './desk.js';
import { holds } from './actor.js';
import { place, type AnyRequest, type Ledger } from './ledger.js';

const IDS_PER_QUERY = 200;
const SETTLE_WAIT_MS = 60_000;
/** How long after its end time an order may take, on a busy machine. */
const OVERDUE_MS_MAX = 8_000;
/** Where an order that was paused and never resumed may stand: its time may have run out, its last fill have come late. */
const AFTER_PAUSE: ReadonlySet<string> = new Set(['PENDING_PAUSE', 'PAUSED', 'EXPIRED', 'FILLED']);
const START_BALANCES: Readonly<Record<string, string>> = { USDT: '1000000', BTC: '10', ETH: '100', SOL: '1000' };

/** Every acknowledged order is there, with its own client id and quantity. */
export async function checkAcknowledged(client: SluiceClient, ledger: Ledger): Promise<string[]> {
  const problems: string[] = [];
  const all = [...ledger.acknowledged];
  for (let from = 0; from < all.length; from += IDS_PER_QUERY) {
    const part = all.slice(from, from + IDS_PER_QUERY);
    const found = await client.byId({ orderIds: part.map(([, { orderId }]) => orderId) });
    const byId = new Map(found.map((order) => [order.order_id, order]));
    for (const [clientOrderId, { orderId, request }] of part) {
      const order = byId.get(orderId);
      if (order === undefined) problems.push(`acknowledged order ${orderId} is lost`);
      else if (order.client_order_id !== clientOrderId) problems.push(`order ${orderId} has another client id`);
      else if (order.error_code === 'SYSTEM_BUSY') problems.push(`order ${orderId} was ended for want of room`);
      else {
        const asked = [quantityOf(request), ...(ledger.amended.get(orderId) ?? []).map(Number)];
        const { filled_quantity: filled, leaves_quantity: leaves } = order;
        if (asked.every((quantity) => Math.abs(filled + leaves - quantity) > 1e-9)) {
          problems.push(`order ${orderId}: filled ${filled} + leaves ${leaves} is none of ${asked.join(', ')}`);
        }
      }
    }
  }
  return problems;
}

/** In base units; of a pair that of its leading leg. */
function quantityOf(request: AnyRequest): number {
  return Number('legs' in request ? request.legs[0]?.target_value : request.quantity);
}

/** What was sent and not answered is sent again: it is placed now or was placed then, never twice. */
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

/** What was acknowledged as paused is not worked. */
export async function checkPaused(client: SluiceClient, { paused }: Ledger): Promise<string[]> {
  const problems: string[] = [];
  const ids = [...paused];
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    for (const { order_id: id, status } of await client.byId({ orderIds: ids.slice(from, from + IDS_PER_QUERY) })) {
      if (!AFTER_PAUSE.has(status)) problems.push(`order ${id} was paused, and is ${status}`);
      if (TERMINAL_STATUSES.includes(status)) paused.delete(id);
    }
  }
  return problems;
}

/** No order stays open beyond its end time. */
export async function checkOverdue(client: SluiceClient): Promise<string[]> {
  const overdue = async (): Promise<string[]> => {
    const open = await client.open();
    const late = open.filter(({ end_time: endTime }) => endTime !== undefined && endTime < Date.now());
    return late.map(({ order_id: id, status, end_time: endTime }) => `order ${id} is ${status} after ${endTime}`);
  };
  return (await holds(async () => (await overdue()).length === 0, OVERDUE_MS_MAX)) ? [] : overdue();
}

/** Cancels what is open and waits until nothing is. */
export async function settleAll(client: SluiceClient): Promise<void> {
  await client.cancelAll();
  if (await holds(async () => (await client.open()).length === 0, SETTLE_WAIT_MS)) return;
  const stuck = (await client.open()).map(
    ({ order_id, status, leaves_quantity }) => `${order_id} ${status} ${leaves_quantity}`,
  );
  throw new Error(`orders do not end after cancelAll: ${stuck.slice(0, 5).join(', ')}`);
}

/** Balances at the venue = what the account began with + the sum of its spot fills, to the last digit. */
export async function checkBalances(port: number, key: KeyOf, ledger: Ledger, exchange = 'BINANCE'): Promise<string[]> {
  const sums = new Map<string, Amount>(
    Object.entries(START_BALANCES).map(([asset, amount]) => [asset, parseAmount(amount)]),
  );
  const add = (asset: string, amount: Amount): void => {
    sums.set(asset, ((sums.get(asset) ?? ZERO_AMOUNT) + amount) as Amount);
  };
  const ids = [...ledger.acknowledged.values()].map(({ orderId }) => orderId);
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    const query = `exchange=${exchange}&orderIds=${ids.slice(from, from + IDS_PER_QUERY).join(',')}`;
    const { trades } = (await exactGet(port, key, '/api/v2/trading/userTrades', query)) as { trades: ExactTrade[] };
    for (const trade of trades) {
      const [base = '', quote = ''] = trade.symbol.split('/');
      const quantity = parseAmount(trade.quantity);
      const cost = times(quantity, parseAmount(trade.price));
      const sign = trade.direction === 'BUY' ? 1n : -1n;
      add(base, (sign * quantity) as Amount);
      add(quote, (-sign * cost) as Amount);
      add(trade.feeCurrency, (ZERO_AMOUNT - parseAmount(trade.fee)) as Amount);
    }
  }
  const balances = (await exactGet(port, key, '/api/v2/trading/balance', `exchange=${exchange}`)) as ExactBalance[];
  const problems: string[] = [];
  for (const [asset, sum] of sums) {
    const balance = balances.find(({ symbol }) => symbol === asset);
    const total = balance === undefined ? ZERO_AMOUNT : parseAmount(balance.balance);
    if (total !== sum)
      problems.push(`${asset}: the venue has ${formatAmount(total)}, the fills make ${formatAmount(sum)}`);
    if (balance !== undefined && balance.free !== balance.balance) {
      problems.push(`${asset}: ${balance.free} of ${balance.balance} is free though nothing is open`);
    }
  }
  return problems;
}

/** A terminal order's numbers do not change any more. */
export async function terminalDigest(client: SluiceClient, orderIds: readonly number[]): Promise<Map<number, string>> {
  const digest = new Map<number, string>();
  for (let from = 0; from < orderIds.length; from += IDS_PER_QUERY) {
    for (const order of await client.byId({ orderIds: orderIds.slice(from, from + IDS_PER_QUERY) })) {
      if (TERMINAL_STATUSES.includes(order.status)) digest.set(order.order_id, JSON.stringify(order));
    }
  }
  return digest;
}

interface ExactTrade {
  readonly symbol: string;
  readonly direction: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly feeCurrency: string;
}

interface ExactBalance {
  readonly symbol: string;
  readonly balance: string;
  readonly free: string;
}

/** A signed GET whose JSON numbers come as text: a float would hide a lost digit. */
async function exactGet(port: number, key: KeyOf, path: string, query: string): Promise<unknown> {
  const timestamp = Date.now();
  const secret = decodeSecret(key.apiSecret);
  const signature = createHmac('sha256', secret).update(`${timestamp}${key.apiKey}5000${query}`).digest('base64');
  const response = await fetch(`http://127.0.0.1:${port}${path}?${query}`, {
    headers: {
      'X-API-KEY': key.apiKey,
      'X-TIMESTAMP': String(timestamp),
      'X-RECV-WINDOW': '5000',
      'X-SIGN': signature,
    },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text.replaceAll(/:(-?\d+(?:\.\d+)?)(?=[,}\]])/g, ':"$1"')) as unknown;
}

/** Product of two 10^-18 amounts, exact: both have far fewer digits. */
function times(left: Amount, right: Amount): Amount {
  return ((left * right) / 10n ** 18n) as Amount;
}
