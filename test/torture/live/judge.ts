import { exact, textOf, type Exact } from '../exact.js';
import type { LedgerBalance, LedgerCopy, LedgerFill, LedgerOrder } from './ledger-copy.js';
import { isEnded, type AccountView, type ShownBalance, type ShownParent, type ShownTrade } from './service-view.js';

/*
 * Compares what the service shows with the ledger of the exchange. It shares no code with the service: it has the
 * ledger's copy, the answers of REST and decimals of its own. Each function returns the broken promises as sentences.
 */

/** `<parent>-<child>`, or with an x where the exchange takes letters and digits only. */
const CLIENT_ID = /^(?:t-)?(\d+)[-x](\d+)$/;

/** The part of the ledger that belongs to an account of the exchange. */
export function ledgerOf({ orders, fills, balances }: LedgerCopy, account: number): LedgerCopy {
  const isOwn = (entry: { readonly account: number }): boolean => entry.account === account;
  return { orders: orders.filter(isOwn), fills: fills.filter(isOwn), balances: balances.filter(isOwn) };
}

/** Id of the parent order in a client id, and the name that the service gives the child. null: of another program. */
export function childOf(clientId: string): { readonly parent: string; readonly name: string } | null {
  const match = CLIENT_ID.exec(clientId);
  return match === null ? null : { parent: match[1]!, name: `${match[1]}-${match[2]}` };
}

/** Client ids that were accepted more than once. An account counts its ids over all its markets. */
export function acceptedTwice({ orders }: LedgerCopy): string[] {
  const seen = new Map<string, LedgerOrder>();
  return orders.flatMap((order) => {
    const before = seen.get(`${order.account} ${order.clientId}`);
    seen.set(`${order.account} ${order.clientId}`, order);
    if (before === undefined) return [];
    return [`client id ${order.clientId} was accepted twice: ${before.exchangeOrderId} and ${order.exchangeOrderId}`];
  });
}

/** Orders at the exchange whose parent no client has placed. */
export function strangers({ orders }: LedgerCopy, parents: ReadonlySet<string>): string[] {
  return orders.flatMap(({ clientId, exchangeOrderId }) => {
    const child = childOf(clientId);
    if (child !== null && parents.has(child.parent)) return [];
    return [`order ${exchangeOrderId} with client id ${clientId} belongs to no order of a client`];
  });
}

/** Quantity of a parent in each market that its clients ever asked for; the largest of all amendments. */
export type AskedQuantities = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Parents of which more was traded, or is open at the exchange, than their clients ever asked for. `allowance`: what
 * the hedge of a pair may trade above it by market, because exchanges refuse small rests.
 */
export function excesses(
  { orders }: LedgerCopy,
  asked: AskedQuantities,
  allowance: ReadonlyMap<string, string>,
): string[] {
  const sums = new Map<string, Exact>();
  for (const { clientId, market, quantity, filled, isOpen } of orders) {
    const parent = childOf(clientId)?.parent ?? '';
    const key = `${parent} ${market}`;
    sums.set(key, (sums.get(key) ?? 0n) + exact(isOpen ? quantity : filled));
  }
  return [...sums].flatMap(([key, sum]) => {
    const at = key.indexOf(' ');
    const [parent, market] = [key.slice(0, at), key.slice(at + 1)];
    const most = asked.get(parent)?.get(market);
    if (most === undefined) return [];
    const bound = exact(most) + exact(allowance.get(`${parent} ${market}`) ?? '0');
    if (sum <= bound) return [];
    return [`order ${parent} has ${textOf(sum)} traded or open in ${market}, and asked for ${most}`];
  });
}

/** Fills that the service shows and the exchange does not know, or shows twice. True at every moment. */
export function inventedFills(ledger: LedgerCopy, { trades }: AccountView): string[] {
  const known = countsOf(ledger.fills.map(textOfFill));
  return trades.map(textOfTrade).flatMap((text) => {
    const left = known.get(text) ?? 0;
    known.set(text, left - 1);
    return left > 0 ? [] : [`the service shows a fill that the exchange does not have so often: ${text}`];
  });
}

/** Fills of these parents that the service does not show, or shows otherwise. */
export function missedFills(ledger: LedgerCopy, { trades }: AccountView, parents: ReadonlySet<string>): string[] {
  const shown = countsOf(trades.map(textOfTrade));
  const expected = ledger.fills.filter(({ clientId }) => parents.has(childOf(clientId)?.parent ?? ''));
  return expected.map(textOfFill).flatMap((text) => {
    const left = shown.get(text) ?? 0;
    shown.set(text, left - 1);
    return left > 0 ? [] : [`the service does not show the fill ${text}`];
  });
}

/** Parents whose filled quantity is not the sum of their fills at the exchange. */
export function wrongSums({ fills }: LedgerCopy, { parents }: AccountView, settled: ReadonlySet<string>): string[] {
  return parents.flatMap(({ orderId, filledByMarket }) => {
    if (!settled.has(orderId)) return [];
    const own = fills.filter(({ clientId }) => childOf(clientId)?.parent === orderId);
    return [...filledByMarket].flatMap(([market, filled]) => {
      const sum = own.reduce((total, fill) => total + (fill.market === market ? exact(fill.quantity) : 0n), 0n);
      return sum === exact(filled)
        ? []
        : [`order ${orderId} shows ${filled} filled in ${market}, and its fills add up to ${textOf(sum)}`];
    });
  });
}

/**
 * Orders that were open at the exchange before and after the service was read, although the service showed their child
 * as ended or had none. True at every moment: a child is stored before it is sent, and an end is certain before it is
 * shown.
 */
export function lostLive(
  { before, after }: { readonly before: LedgerCopy; readonly after: LedgerCopy },
  { parents }: AccountView,
): string[] {
  const stillOpen = new Set(after.orders.filter(({ isOpen }) => isOpen).map(({ exchangeOrderId }) => exchangeOrderId));
  const byId = new Map(parents.map((parent) => [parent.orderId, parent]));
  return before.orders.flatMap(({ isOpen, exchangeOrderId, clientId, market }) => {
    const name = childOf(clientId);
    const parent = byId.get(name?.parent ?? '');
    if (!isOpen || !stillOpen.has(exchangeOrderId) || name === null || parent === undefined) return [];
    const where = `${clientId} (${exchangeOrderId}, ${market})`;
    if (isEnded(parent.status)) return [`${where} is open, and its order is ${parent.status}`];
    if (parent.children === null) return [];
    const child = parent.children.get(name.name);
    if (child === undefined) return [`${where} is open, and the service has no such child`];
    return isEnded(child.status) ? [`${where} is open, and the service shows it as ${child.status}`] : [];
  });
}

/**
 * Orders that the exchange has, although the service said once that it never got them. True at every moment: no order
 * comes later than the service waits for it.
 */
export function wronglyAbsent({ orders }: LedgerCopy, { parents }: AccountView): string[] {
  const absent = new Set(
    parents.flatMap(({ children }) =>
      [...(children ?? [])].filter(([, { wasAbsent }]) => wasAbsent).map(([name]) => name),
    ),
  );
  return orders
    .filter(({ clientId }) => absent.has(childOf(clientId)?.name ?? ''))
    .map(({ clientId, exchangeOrderId }) => `${clientId} (${exchangeOrderId}) exists, and counted as absent`);
}

/** How long an order may stay open after its end time without a child or a reason. */
const OVERDUE_MS = 15_000;

/** Open orders that are late and show neither a live child nor a reason of this time. */
export function silentWaits({ parents, nowMs }: AccountView): string[] {
  return parents.flatMap((parent) => {
    const { orderId, status, endAtMs } = parent;
    if (isEnded(status) || endAtMs === null || endAtMs + OVERDUE_MS > nowMs || parent.children === null) return [];
    const isWaiting = [...parent.children.values()].some((child) => !isEnded(child.status));
    return isWaiting || parent.message !== null
      ? []
      : [`order ${orderId} is ${status} ${nowMs - endAtMs} ms after its end, without a child and without a reason`];
  });
}

/** Balances that differ from the wallets of the exchange. */
export function wrongBalances(ledger: readonly LedgerBalance[], shown: readonly ShownBalance[]): string[] {
  const found = new Map(shown.map((balance) => [balance.asset, balance]));
  const unknown = shown.filter(({ asset }) => !ledger.some((balance) => balance.asset === asset));
  return [
    ...unknown.map(({ asset }) => `${asset}: the exchange has no such balance`),
    ...ledger.flatMap(({ asset, total, free }) => {
      const { total: shownTotal, free: shownFree } = found.get(asset) ?? { total: '0', free: '0' };
      const isFreeRight = free === null || exact(free) === exact(shownFree);
      if (exact(total) === exact(shownTotal) && isFreeRight) return [];
      const right = `${total}, ${free ?? 'some'} of it free`;
      return [`${asset}: the exchange has ${right}; the service shows ${shownTotal}, ${shownFree} of it free`];
    }),
  ];
}

/** Parents that have ended in the service and have no open order at the exchange. */
export function settledParents({ orders }: LedgerCopy, parents: readonly ShownParent[]): ReadonlySet<string> {
  const open = new Set(orders.filter(({ isOpen }) => isOpen).map(({ clientId }) => childOf(clientId)?.parent));
  return new Set(
    parents.filter(({ orderId, status }) => isEnded(status) && !open.has(orderId)).map(({ orderId }) => orderId),
  );
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** A trade id is compared where it is an exact number: others reach clients as a number of their own. */
function textOfFill({ exchangeOrderId, tradeId, side, quantity, price, fee, feeAsset, isMaker }: LedgerFill): string {
  const id = /^\d{1,15}$/.test(tradeId) ? tradeId : 'text';
  return wordsOf({ exchangeOrderId, id, side, quantity, price, fee, feeAsset, isMaker });
}

function textOfTrade({ tradeId, isTextId, ...trade }: ShownTrade): string {
  return wordsOf({ ...trade, id: isTextId ? 'text' : tradeId });
}

interface FillWords extends Omit<ShownTrade, 'tradeId' | 'isTextId'> {
  readonly id: string;
}

function wordsOf({ exchangeOrderId, id, side, quantity, price, fee, feeAsset, isMaker }: FillWords): string {
  const numbers = [quantity, price, fee].map((text) => textOf(exact(text)));
  return [exchangeOrderId, id, side, ...numbers, feeAsset, isMaker ? 'MAKER' : 'TAKER'].join(' ');
}
