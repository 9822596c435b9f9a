import type { Accounts } from '../accounts.js';
import { formatShort, formatUnits, placesOf } from '../decimal.js';
import type { AccountEvent, ExchangeEvent, OrderEvent } from '../exchange-events.js';
import type { FuturesClearing } from '../futures-clearing.js';
import { averagePrice } from './futures-answers.js';
import { wireStatus } from './order-view.js';
import type { UserEvent } from './spot-events.js';

interface FuturesEventParts {
  readonly accounts: Accounts;
  readonly clearing: FuturesClearing;
  readonly nowMs: number;
}

/** Writes the events of one transaction as Binance sends them to the owners. A fill comes as TRADE_LITE first. */
export function futuresUserEvents(events: readonly ExchangeEvent[], parts: FuturesEventParts): readonly UserEvent[] {
  const traded = new Set(
    events.flatMap((event) => (event.kind === 'order' && event.fill !== null ? [event.fill.account] : [])),
  );
  return events.flatMap((event): readonly UserEvent[] => {
    if (event.kind === 'order') {
      const { account } = event.order.terms;
      const update = { account, frame: orderUpdate(event, parts.nowMs) };
      return event.fill === null ? [update] : [{ account, frame: tradeLite(event, parts.nowMs) }, update];
    }
    if (event.kind === 'account' && traded.has(event.account)) return [accountUpdate(event, parts)];
    if (event.kind !== 'transfer') return [];
    const { account, asset, change } = event;
    const reason = change > 0n ? 'DEPOSIT' : 'WITHDRAW';
    const changed = [balanceOf({ account, asset, change }, parts)];
    return [{ account, frame: { ...head(parts.nowMs), a: { B: changed, P: [], m: reason } } }];
  });
}

function head(nowMs: number): { readonly e: 'ACCOUNT_UPDATE'; readonly T: number; readonly E: number } {
  return { e: 'ACCOUNT_UPDATE', T: nowMs, E: nowMs };
}

function orderUpdate({ change, order, state, fill }: OrderEvent, nowMs: number): UserEvent['frame'] {
  const { terms } = order;
  const { instrument } = terms;
  const price = (value: bigint): string => formatUnits(value, placesOf(instrument.tick));
  const quantity = (value: bigint): string => formatUnits(value, placesOf(instrument.lot));
  return {
    e: 'ORDER_TRADE_UPDATE',
    T: state.atMs,
    E: nowMs,
    o: {
      s: instrument.symbol,
      c: terms.clientId,
      S: terms.side,
      o: terms.wireType,
      f: terms.wireTimeInForce,
      q: quantity(terms.quantity),
      p: price(terms.price),
      ap: formatShort(averagePrice(state)),
      sp: '0',
      x: change === 'PREVENTED' ? 'EXPIRED' : change,
      X: wireStatus(state.status),
      i: order.id,
      l: quantity(fill?.quantity ?? 0n),
      z: quantity(state.filled),
      L: price(fill?.price ?? 0n),
      n: formatShort(fill?.fee ?? 0n),
      N: instrument.quote,
      T: state.atMs,
      t: fill?.tradeId ?? 0,
      b: '0',
      a: '0',
      m: fill?.isMaker ?? false,
      R: terms.isReduceOnly,
      wt: 'CONTRACT_PRICE',
      ot: terms.wireType,
      ps: terms.positionSide,
      cp: false,
      AP: '0',
      cr: '0',
      pP: false,
      si: 0,
      ss: 0,
      rp: formatShort(fill?.realizedPnl ?? 0n),
      V: terms.prevention,
      pm: 'NONE',
      gtd: 0,
      er: '0',
    },
  };
}

function tradeLite({ order, fill }: OrderEvent, nowMs: number): UserEvent['frame'] {
  const { terms } = order;
  const { instrument } = terms;
  return {
    e: 'TRADE_LITE',
    E: nowMs,
    T: fill!.atMs,
    s: instrument.symbol,
    q: formatUnits(terms.quantity, placesOf(instrument.lot)),
    p: formatUnits(terms.price, placesOf(instrument.tick)),
    m: fill!.isMaker,
    c: terms.clientId,
    S: terms.side,
    L: formatUnits(fill!.price, placesOf(instrument.tick)),
    l: formatUnits(fill!.quantity, placesOf(instrument.lot)),
    t: fill!.tradeId,
    i: order.id,
  };
}

function balanceOf(
  { account, asset, change }: { account: number; asset: string; change: bigint },
  { accounts }: FuturesEventParts,
): object {
  const wallet = formatUnits(accounts.at(account).futures.balance(asset).free);
  return { a: asset, wb: wallet, cw: wallet, bc: formatShort(change) };
}

function accountUpdate({ account, instruments }: AccountEvent, parts: FuturesEventParts): UserEvent {
  const { clearing, nowMs } = parts;
  const names = clearing.settings(account).isDualSide ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const);
  const positions = instruments.flatMap(({ symbol }) => names.map((side) => clearing.position(account, symbol, side)));
  const assets = new Set(instruments.map(({ quote }) => quote));
  const update = {
    B: [...assets].map((asset) => balanceOf({ account, asset, change: 0n }, parts)),
    P: positions.map((position) => ({
      s: position.symbol,
      pa: formatShort(position.amount),
      ep: formatShort(position.entryPrice),
      cr: formatShort(position.realized),
      up: formatShort(clearing.unrealized(position)),
      mt: 'cross',
      iw: '0',
      ps: position.side,
      ma: 'USDT',
      bep: formatShort(position.entryPrice),
    })),
    m: 'ORDER',
  };
  return { account, frame: { ...head(nowMs), a: update } };
}
