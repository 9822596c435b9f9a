import type { Accounts } from '../accounts.js';
import { formatUnits } from '../decimal.js';
import type { AccountEvent, ExchangeEvent, OrderEvent, TransferEvent } from '../exchange-events.js';
import { wireStatus } from './order-view.js';

/** One event of the user data stream, with its owner. */
export interface UserEvent {
  readonly account: number;
  readonly frame: { readonly e: string } & Readonly<Record<string, unknown>>;
}

/** Writes the events of one transaction as Binance sends them to the owners of the orders. */
export function spotUserEvents(
  events: readonly ExchangeEvent[],
  accounts: Accounts,
  nowMs: number,
): readonly UserEvent[] {
  return events.flatMap((event): readonly UserEvent[] => {
    if (event.kind === 'order') {
      return [{ account: event.order.terms.account, frame: executionReport(event, nowMs) }];
    }
    if (event.kind === 'account') return [accountPosition(event, accounts, nowMs)];
    return event.kind === 'transfer' ? [balanceUpdate(event, nowMs), transferPosition(event, accounts, nowMs)] : [];
  });
}

const EXPIRED_BY = { PREVENTED: 'TRADE_PREVENTION', EXPIRED: 'EXPIRED' } as const;

/** A cancel has its own client id: `c` names the cancel then, and `C` the order. */
function executionReport({ change, order, state, fill, cancelId }: OrderEvent, nowMs: number): UserEvent['frame'] {
  const { terms } = order;
  const execution = change === 'PREVENTED' || change === 'EXPIRED' ? EXPIRED_BY[change] : change;
  const isCancelled = change === 'CANCELED';
  return {
    e: 'executionReport',
    E: nowMs,
    s: terms.instrument.symbol,
    c: isCancelled ? (cancelId ?? '') : terms.clientId,
    S: terms.side,
    o: terms.wireType,
    f: terms.wireTimeInForce,
    q: formatUnits(terms.quantity),
    p: formatUnits(terms.price),
    P: formatUnits(0n),
    F: formatUnits(0n),
    g: -1,
    C: isCancelled ? terms.clientId : '',
    x: execution,
    X: wireStatus(state.status),
    r: 'NONE',
    i: order.id,
    l: formatUnits(fill?.quantity ?? 0n),
    z: formatUnits(state.filled),
    L: formatUnits(fill?.price ?? 0n),
    n: fill === null ? '0' : formatUnits(fill.fee),
    N: fill?.feeAsset ?? null,
    T: state.atMs,
    t: fill?.tradeId ?? -1,
    I: order.id * 2 + (fill?.tradeId ?? 0),
    w: state.isWorking,
    m: fill?.isMaker ?? false,
    M: fill !== null,
    O: order.acceptedAtMs,
    Z: formatUnits(state.quoteFilled),
    Y: formatUnits(fill?.quoteQuantity ?? 0n),
    Q: formatUnits(terms.quoteQuantity),
    W: order.acceptedAtMs,
    V: terms.prevention,
    ...(change === 'EXPIRED' && {
      eR: terms.type === 'MARKET' || terms.timeInForce !== 'GTC' ? 'INSUFFICIENT_LIQUIDITY' : 'EXCHANGE_CANCELED',
    }),
  };
}

function accountPosition({ account, instruments }: AccountEvent, accounts: Accounts, nowMs: number): UserEvent {
  const assets = new Set(instruments.flatMap(({ base, quote }) => [base, quote]));
  return positionOf(account, [...assets], { accounts, nowMs });
}

function transferPosition({ account, asset }: TransferEvent, accounts: Accounts, nowMs: number): UserEvent {
  return positionOf(account, [asset], { accounts, nowMs });
}

function positionOf(
  account: number,
  assets: readonly string[],
  { accounts, nowMs }: { accounts: Accounts; nowMs: number },
): UserEvent {
  const { spot } = accounts.at(account);
  const balances = assets.map((asset) => {
    const { free, locked } = spot.balance(asset);
    return { a: asset, f: formatUnits(free), l: formatUnits(locked) };
  });
  return { account, frame: { e: 'outboundAccountPosition', E: nowMs, u: nowMs, B: balances } };
}

function balanceUpdate({ account, asset, change }: TransferEvent, nowMs: number): UserEvent {
  return { account, frame: { e: 'balanceUpdate', E: nowMs, a: asset, d: formatUnits(change), T: nowMs } };
}
