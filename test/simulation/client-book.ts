import { assert } from '../../src/domain/rejection.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { ParentOrder, Leg } from '../../src/domain/order.js';
import type { Body } from './clients.js';
import { unitsOf } from './decimals.js';
import type { Bounds, Sighting } from './bounds.js';
import type { FakeExchange } from './fake-app.js';

/** One create request of a client, sent once or several times. */
export interface SentCreate {
  readonly account: string;
  /** Unique; the service carries it as the subaccount of the order. */
  readonly mark: string;
  readonly clientOrderId: string | null;
  readonly body: Body;
  attemptCount: number;
  /** Attempts that placed no order for certain. */
  refusedCount: number;
  /** Attempts that place no order from now on, because a later request of the client was answered so. */
  closedCount: number;
  /** Orders that were acknowledged for this request. */
  readonly acknowledged: Set<OrderId>;
  /** Its orders in the journal. */
  readonly placed: OrderId[];
  /** The limits of its account at each attempt. */
  readonly sightings: Sighting[];
}

/** A create at the time of a later request. */
export interface Sent {
  readonly create: SentCreate;
  readonly attemptCount: number;
}

interface Summary {
  readonly order_id?: OrderId;
  readonly message?: string;
}

/** The message of the service when the outcome of a create is unknown. */
const UNKNOWN_OUTCOME = 'the outcome is unknown';

/** The clients' record of their orders. It outlives every crash, and the service must keep each of its promises. */
export class ClientBook {
  readonly creates: SentCreate[] = [];
  /** Creates with an unknown outcome. Their clients repeat them. */
  readonly unsettled: SentCreate[] = [];
  readonly #bounds: Bounds;
  readonly #byMark = new Map<string, SentCreate>();
  /** The order of an account's client order id. */
  readonly #named = new Map<string, OrderId>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  open(account: string, mark: string, clientOrderId: string | null, body: Body): SentCreate {
    const create: SentCreate = {
      account,
      mark,
      clientOrderId,
      body,
      attemptCount: 0,
      refusedCount: 0,
      closedCount: 0,
      acknowledged: new Set(),
      placed: [],
      sightings: [],
    };
    this.creates.push(create);
    this.#byMark.set(mark, create);
    return create;
  }

  /**
   * Checks an order that the journal holds: a client sent it, with these terms, and no more often than it was sent.
   * `openCount`: open orders of its account, including this one.
   */
  onPlaced(order: ParentOrder, openCount: number): void {
    const create = this.#byMark.get(order.subaccount ?? '');
    assert(create !== undefined, `order ${order.orderId} was asked for`);
    create.placed.push(order.orderId);
    const { placed, attemptCount, refusedCount, account, clientOrderId } = create;
    const allowed = clientOrderId === null ? attemptCount - refusedCount : 1;
    assert(placed.length <= allowed, `request ${create.mark} placed ${placed.length} orders and may place ${allowed}`);
    const isOpen = attemptCount > create.closedCount;
    assert(isOpen, `request ${create.mark} places order ${order.orderId} after an answer that there is none`);
    assert(attemptCount > refusedCount, `request ${create.mark} was refused and order ${order.orderId} is placed`);
    checkWords(order, create);
    this.#bounds.check(order, create.sightings, openCount);
    if (clientOrderId === null) return;
    const key = `${account} ${clientOrderId}`;
    assert(!this.#named.has(key), `client_order_id ${clientOrderId} of ${account} names one order`);
    this.#named.set(key, order.orderId);
  }

  /** The answer to one attempt. */
  onAnswer(create: SentCreate, { status, body }: FakeExchange): void {
    assert(status !== 500, `create ${create.mark} is answered ${body}`);
    this.#onSummary(create, status, JSON.parse(body) as Summary);
  }

  /** The answer to a batch: one summary for each order in sequence, or one refusal of the whole batch. */
  onBatchAnswer(creates: readonly SentCreate[], { status, body }: FakeExchange): void {
    assert(status !== 500, `a batch is answered ${body}`);
    const answer = JSON.parse(body) as Summary & { orders?: readonly Summary[] };
    assert(status !== 201 || answer.orders?.length === creates.length, `each member is answered: ${body}`);
    creates.forEach((create, index) => this.#onSummary(create, status, answer.orders?.[index] ?? answer));
  }

  #onSummary(create: SentCreate, status: number, summary: Summary): void {
    const { order_id: orderId, message = '' } = summary;
    if (status === 201 && orderId !== undefined) {
      create.acknowledged.add(orderId);
      return assert(
        create.placed.includes(orderId),
        `order ${orderId} of ${create.mark} is acknowledged and not on disk`,
      );
    }
    if (message.includes(UNKNOWN_OUTCOME)) return void this.unsettled.push(create);
    create.refusedCount += 1;
    const isPlaced = create.placed.length > create.attemptCount - create.refusedCount && create.clientOrderId === null;
    assert(!isPlaced, `create ${create.mark} is refused and on disk: ${message}`);
  }

  /** The creates of an account so far, with the client order id when one is given. */
  sentBy(account: string, clientOrderId: string | null = null): Sent[] {
    const sent = this.creates.filter(
      (create) => create.account === account && (clientOrderId === null || create.clientOrderId === clientOrderId),
    );
    return sent.map((create) => ({ create, attemptCount: create.attemptCount }));
  }

  /** A request after these creates was answered. They have no open order, and get none. */
  close(sent: readonly Sent[], isEnded: (orderId: OrderId) => boolean): void {
    for (const { create, attemptCount } of sent) {
      create.closedCount = Math.max(create.closedCount, attemptCount);
      if (create.attemptCount > attemptCount) continue;
      const open = create.placed.find((orderId) => !isEnded(orderId));
      assert(open === undefined, `order ${open} of request ${create.mark} is missed by a later request of its client`);
    }
  }

  /** The backup has fewer orders. Orders acknowledged after it are lost, and their client ids are free. */
  forgetAfter(isKept: (orderId: OrderId) => boolean): void {
    for (const create of this.creates) {
      const kept = create.placed.filter(isKept);
      create.placed.splice(0, create.placed.length, ...kept);
      for (const orderId of create.acknowledged) if (!isKept(orderId)) create.acknowledged.delete(orderId);
    }
    for (const [key, orderId] of this.#named) if (!isKept(orderId)) this.#named.delete(key);
  }

  /** Expects every acknowledged order in the journal. */
  check(isStored: (orderId: OrderId) => boolean): void {
    for (const { acknowledged } of this.creates) {
      for (const orderId of acknowledged) assert(isStored(orderId), `acknowledged order ${orderId} survives`);
    }
  }
}

/** The quantity of a leg sized in quote currency depends on the market and is unknown here. */
function checkLegs(legs: readonly Leg[], body: Body, at: string): void {
  const asked = body['legs'] as readonly Body[];
  legs.forEach((leg, index) => {
    const {
      exchange,
      symbol,
      side,
      strategy,
      target_value: value,
      ccy,
    } = asked[index] as Readonly<Record<string, string>>;
    const isSame = leg.venue === exchange && leg.symbol === symbol && leg.side === side && leg.strategy === strategy;
    assert(isSame, `${at}: leg ${index} is as asked for`);
    const quantity = ccy === 'USDT' ? null : unitsOf(value ?? '', leg.quantityPrecision);
    assert(quantity === null || quantity === BigInt(leg.quantity), `${at}: leg ${index} has its quantity`);
  });
}

/** Expects the order to equal its request, to the last digit. */
function checkWords(order: ParentOrder, { body, account, clientOrderId, mark }: SentCreate): void {
  const at = `order ${order.orderId} of request ${mark}`;
  assert(order.account === account && order.clientOrderId === clientOrderId, `${at} is its client's`);
  if (order.pair !== null) return checkLegs(order.legs, body, at);
  const [leg] = order.legs;
  assert(leg.symbol === body['symbol'] && leg.venue === body['exchange'], `${at} is in its market`);
  assert(leg.side === body['side'] && leg.strategy === body['strategy'], `${at} is on its side`);
  const quantity = unitsOf(body['quantity'] as string, leg.quantityPrecision);
  assert(BigInt(leg.quantity) === quantity, `${at} has its quantity`);
  const limit = body['limit_price'] === undefined ? null : unitsOf(body['limit_price'] as string, leg.pricePrecision);
  assert((leg.limitPrice === null ? null : BigInt(leg.limitPrice)) === limit, `${at} has its limit`);
}
