import type { NumberedEvent } from '../../src/journal/port.js';
import { assert } from '../../src/domain/rejection.js';
import type { AccountTopic } from '../../src/domain/event.js';
import { averageOf, decimalOf } from './decimals.js';
import { filledOf, notionalOf, otherLegOf, type ModelOrder } from './order-model.js';
import { legAt } from '../../src/domain/pair.js';
import { leadingLeg } from '../../src/domain/order-legs.js';

/** Names a feed: account, topic and exchange. */
export type FeedName = string & { readonly __feedName: never };

export function feedName(account: string, topic: string, venue: string): FeedName {
  return `${account} ${topic} ${venue}` as FeedName;
}

/** Texts that a frame must contain. */
type Parts = readonly string[];

/**
 * Expected contents of every frame of every feed, from the model alone. Like the clients, it outlives all processes.
 */
export class FeedLog {
  readonly #frames = new Map<FeedName, Parts[]>();

  /** Adds the frames of a journalled event. `order`: its order after the event; null for an event of an account. */
  record({ envelope, marks }: NumberedEvent, order: ModelOrder | null): void {
    for (const { topic, n, venue = envelope.venue } of marks) {
      const frames = this.#feed(feedName(envelope.account, topic, venue));
      // 9. Every feed has no gap and no repeat.
      assert(n === frames.length + 1, `frame ${n} follows frame ${frames.length} of ${topic} of ${venue}`);
      frames.push(partsOf(topic, envelope, order));
    }
  }

  /** Number of the latest frame. */
  headOf(feed: FeedName): number {
    return this.#frames.get(feed)?.length ?? 0;
  }

  /** Compares a frame that a client received with the expected one. */
  check(feed: FeedName, n: number, text: string): void {
    const parts = this.#frames.get(feed)?.[n - 1];
    assert(parts !== undefined, `frame ${n} of ${feed} was sent and is not on disk: ${text}`);
    for (const part of parts) assert(text.includes(part), `frame ${n} of ${feed} says ${part}: ${text}`);
  }

  get feeds(): Iterable<FeedName> {
    return this.#frames.keys();
  }

  /** After a restore: the frames of the backup are recorded anew. */
  clear(): void {
    this.#frames.clear();
  }

  #feed(name: FeedName): Parts[] {
    let frames = this.#frames.get(name);
    if (frames === undefined) this.#frames.set(name, (frames = []));
    return frames;
  }
}

function partsOf(topic: AccountTopic, { event, child }: NumberedEvent['envelope'], order: ModelOrder | null): Parts {
  if (event.kind === 'BalanceChanged') {
    return [`"symbol":"${event.asset}","balance":${decimalOf(event.total, 18)},"free":${decimalOf(event.free, 18)}`];
  }
  if (event.kind === 'PositionChanged' || event.kind === 'MarketObserved') return [];
  assert(order !== null, 'an order event has its order');
  const { orderId } = order.created;
  const leg = child === null ? leadingLeg(order.created) : legAt(order.created.legs, child.order.leg);
  switch (topic) {
    case 'order':
      return [
        `"order_id":"${orderId}"`,
        `"status":"${order.status}"`,
        ...progressParts(order),
        ...limitParts(order),
        ...otherLegParts(order),
      ];
    case 'trade':
      assert(event.kind === 'ChildFilled', 'every trade is a fill');
      return [
        `"trade_id":"${event.fill.tradeId}","order_id":"${orderId}-${event.child}"`,
        `"side":"${leg.side}"`,
        `"price":${decimalOf(BigInt(event.fill.price), leg.pricePrecision)},"amount":${decimalOf(BigInt(event.fill.quantity), leg.quantityPrecision)},`,
      ];
    case 'child_order': {
      const isNew = event.kind === 'ChildSubmitted' || event.kind === 'ChildAdopted';
      const number = isNew ? event.order.child : 'child' in event ? event.child : 0;
      return [`"order_id":"${orderId}-${number}"`, `"side":"${leg.side}"`];
    }
    case 'balance':
    case 'position':
    case 'position_risk':
      return [];
  }
}

/** The limit price by the terms in force. */
function limitParts({ terms }: ModelOrder): Parts {
  const { limitPrice, pricePrecision } = leadingLeg(terms);
  return limitPrice === null ? [] : [`"limit_price":${decimalOf(BigInt(limitPrice), pricePrecision)},`];
}

/** Progress of the hedging leg of a pair. */
function otherLegParts(order: ModelOrder): Parts {
  const leg = otherLegOf(order.created);
  if (leg === null) return [];
  const filled = filledOf(order, true);
  const average = averageOf(notionalOf(order, true), filled, leg.pricePrecision);
  return [`"filled_quantity":${decimalOf(filled, leg.quantityPrecision)},"average_price":${average}`];
}

/** Texts of filled quantity, leaves and average price in frames and answers. */
export function progressParts(order: ModelOrder): Parts {
  const { quantityPrecision, pricePrecision } = leadingLeg(order.created);
  const filled = filledOf(order);
  const left = BigInt(leadingLeg(order.terms).quantity) - filled;
  // Late and forged fills can exceed the quantity.
  const leaves = left > 0n ? left : 0n;
  const average = `"average_price":${averageOf(notionalOf(order), filled, pricePrecision)}`;
  return [
    `"filled_quantity":${decimalOf(filled, quantityPrecision)},"leaves_quantity":${decimalOf(leaves, quantityPrecision)}`,
    average,
  ];
}
