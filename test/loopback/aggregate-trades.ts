import type { PublicTrade } from './market.js';

/** The trades of one taker at one price. */
export interface AggregateTrade extends Omit<PublicTrade, 'takerId'> {
  readonly firstTradeId: number;
  readonly lastTradeId: number;
}

/** Joins neighbouring trades of one taker at one price. The id of the first trade is the id of the aggregate. */
export function aggregate(trades: readonly PublicTrade[]): readonly AggregateTrade[] {
  const joined: (AggregateTrade & { takerId: number })[] = [];
  for (const trade of trades) {
    const last = joined.at(-1);
    if (last?.takerId === trade.takerId && last.price === trade.price) {
      const quantity = last.quantity + trade.quantity;
      joined[joined.length - 1] = { ...last, quantity, lastTradeId: trade.id };
    } else joined.push({ ...trade, firstTradeId: trade.id, lastTradeId: trade.id });
  }
  return joined;
}
