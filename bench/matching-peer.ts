import { OrderBook, Side, type SelfTradePreventionMode } from 'nodejs-order-book';
import { BACKGROUND } from '../src/venue/matching/index.js';
import type { FillSink, MatchingOperation, MatchingPlayer } from './matching-operation.js';

type LimitTerms = Parameters<OrderBook['limit']>[0];
type MarketTerms = Parameters<OrderBook['market']>[0];
type Processed = ReturnType<OrderBook['limit']>;

/** The same operations on npm nodejs-order-book; it knows neither DECREMENT nor market orders with a worst price. */
export class PeerPlayer implements MatchingPlayer {
  readonly book = new OrderBook();
  readonly #sink: FillSink;

  constructor(sink: FillSink) {
    this.#sink = sink;
  }

  play(operation: MatchingOperation): void {
    switch (operation.kind) {
      case 'limit':
        return this.#tell(operation.id, this.book.limit(limitTerms(operation)));
      case 'market':
        return this.#tell(operation.id, this.book.market(marketTerms(operation)));
      case 'cancel':
        this.book.cancel(String(operation.id));
        return;
      case 'amend': {
        const { id, price, leaves } = operation;
        return this.#tell(id, this.book.modify(String(id), { price, size: leaves }));
      }
      default:
        operation.kind satisfies never;
    }
  }

  /** `done` and `partial` hold the makers that were filled, and the taker itself too. */
  #tell(taker: number, { done, partial, partialQuantityProcessed }: Processed): void {
    for (const order of done) {
      const maker = Number(order.id);
      if (maker !== taker && 'price' in order) this.#sink(taker, maker, order.price, order.size);
    }
    if (partial === null) return;
    const maker = Number(partial.id);
    if (maker !== taker) this.#sink(taker, maker, partial.price, partialQuantityProcessed);
  }
}

// Plain literals, for a spread would count against the peer.

function limitTerms({
  id,
  participant,
  side,
  price,
  leaves,
  timeInForce,
  postOnly,
  stp,
}: MatchingOperation): LimitTerms {
  return {
    id: String(id),
    side: side === 'BUY' ? Side.BUY : Side.SELL,
    size: leaves,
    price,
    timeInForce: timeInForce as NonNullable<LimitTerms['timeInForce']>,
    postOnly,
    accountId: participant === BACKGROUND ? '' : String(participant),
    stpMode: stp as SelfTradePreventionMode,
  };
}

function marketTerms({ id, participant, side, leaves, stp }: MatchingOperation): MarketTerms {
  return {
    id: String(id),
    side: side === 'BUY' ? Side.BUY : Side.SELL,
    size: leaves,
    accountId: participant === BACKGROUND ? '' : String(participant),
    stpMode: stp as SelfTradePreventionMode,
  };
}
