import type { ExchangeEvent } from '../exchange-events.js';
import { balanceEntry, positionEntry } from './account-endpoints.js';
import { orderUpdate } from './order-view.js';
import type { ChannelArg, OkxSession, Subscription } from './socket-session.js';
import type { TradingAccounts } from './trading-account.js';

const CHANNELS = new Set(['orders', 'account', 'positions']);
const TYPES = new Set(['SPOT', 'SWAP', 'MARGIN', 'FUTURES', 'OPTION', 'ANY']);

/** True for a channel of an account with the members that it needs. */
export function isPrivateChannel({ channel = '', instType = '' }: ChannelArg): boolean {
  return CHANNELS.has(channel) && (channel === 'account' || TYPES.has(instType));
}

/** The first data of a subscription: balances and positions. Orders have none. */
export function privateSnapshot(trading: TradingAccounts, session: OkxSession, subscription: Subscription): void {
  const account = session.identity!.account;
  if (subscription.arg['channel'] === 'account') {
    session.push(subscription, { data: [balanceEntry(trading, account, null)] });
  }
  if (subscription.arg['channel'] !== 'positions' || !isOfType(subscription.arg, 'SWAP')) return;
  const open = trading.swapClearing.openPositions(account.id);
  session.push(subscription, { data: open.map((position) => positionEntry(trading, account, position)) });
}

/** Publishes the events of one transaction to the sessions of the accounts that they concern. */
export function publishPrivate(
  trading: TradingAccounts,
  sessions: Iterable<OkxSession>,
  events: readonly ExchangeEvent[],
): void {
  for (const session of sessions) {
    const account = session.identity?.account;
    if (account === undefined) continue;
    for (const event of events) {
      if (event.kind === 'order' && event.order.terms.account === account.id) {
        const { instType, instId } = trading.instrumentOf(event.order);
        for (const subscription of of(session, 'orders')) {
          if (isOfType(subscription.arg, instType) && isOfInstrument(subscription.arg, instId)) {
            session.push(subscription, { data: [orderUpdate(trading, event)] });
          }
        }
      } else if ((event.kind === 'account' || event.kind === 'transfer') && event.account === account.id) {
        for (const subscription of of(session, 'account')) {
          session.push(subscription, { data: [balanceEntry(trading, account, null)] });
        }
        if (event.kind === 'account')
          publishPositions(
            trading,
            session,
            event.instruments.map(({ symbol }) => symbol),
          );
      }
    }
  }
}

/** A position that has become flat is published once with size 0. */
function publishPositions(trading: TradingAccounts, session: OkxSession, symbols: readonly string[]): void {
  const account = session.identity!.account;
  for (const symbol of symbols) {
    const { instrument } = trading.market(symbol);
    if (instrument.instType !== 'SWAP') continue;
    const sides = trading.swapClearing.settings(account.id).isDualSide
      ? (['LONG', 'SHORT'] as const)
      : (['BOTH'] as const);
    const positions = sides.map((side) => trading.swapClearing.position(account.id, symbol, side));
    const known = positions.filter(({ updatedAtMs }) => updatedAtMs > 0);
    for (const subscription of of(session, 'positions')) {
      if (!isOfType(subscription.arg, 'SWAP') || !isOfInstrument(subscription.arg, symbol) || known.length === 0)
        continue;
      session.push(subscription, { data: known.map((position) => positionEntry(trading, account, position)) });
    }
  }
}

function of({ subscriptions }: OkxSession, channel: string): readonly Subscription[] {
  return [...subscriptions.values()].filter(({ arg }) => arg['channel'] === channel);
}

function isOfType({ instType }: ChannelArg, wanted: string): boolean {
  return instType === 'ANY' || instType === wanted;
}

function isOfInstrument({ instId }: ChannelArg, wanted: string): boolean {
  return instId === undefined || instId === wanted;
}
