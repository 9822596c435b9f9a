import { assert } from '../../src/domain/rejection.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { Clients, type Body } from './clients.js';
import type { SentCreate } from './client-book.js';
import { unitsOf } from './decimals.js';
import type { FakeExchange } from './fake-app.js';
import { progressParts } from './feed-log.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';
import { isEnded, type ModelOrder } from './order-model.js';
import type { World } from './world.js';
import { leadingLeg } from '../../src/domain/order-legs.js';

const ORDERS = '/api/v2/trading/order';
/** Probability that a client disconnects before its answer comes. */
const ABORTED = 0.03;
/** Time after which every order of a cancel-all-after timer that is due is being cancelled. */
export const SWITCH_MS = 15_000;

interface Summary {
  readonly order_id?: OrderId;
  readonly status?: string;
  readonly error_code?: string;
  readonly message?: string;
}

/** A cancel-all-after timer. It ends the orders that were journalled when it was set, without creates in flight. */
interface Armed {
  readonly orderIds: readonly OrderId[];
  /** True time of the simulation. */
  readonly dueTrueMs: number;
}

/** The clients of a world. They send HTTP requests and check the service against every answer. */
export class Trader {
  readonly #world: World;
  readonly #clients: Clients;
  /** Times of cancel-all-after by account. */
  readonly #armed = new Map<string, Armed>();
  /** Cancels of single orders, and those of them that were answered as not executed, by the key of the order. */
  readonly #cancels = new Map<string, { sentCount: number; refusedCount: number }>();
  #requestCount = 0;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#clients = new Clients(world.chance, seed);
  }

  /** One request of any kind. */
  act(): void {
    const { chance, profile } = this.#world;
    const dice = chance.between(1, 100);
    if (dice <= 34) return this.#place();
    if (dice <= 40) return chance.hits(0.5) ? this.#placeMany() : this.#preview();
    if (dice <= 50) return this.#repeat();
    if (dice <= 54) return this.#chaseRecent();
    if (chance.hits(profile.cancel)) {
      if (chance.hits(0.05)) return this.#cancelAll(chance.pick(ACCOUNTS));
      if (chance.hits(0.05)) return this.#cancelAllAfter(chance.pick(ACCOUNTS), this.#drawTimeoutMs());
      if (chance.hits(0.05)) return this.#kill(chance.pick(ACCOUNTS));
      if (chance.hits(0.1)) return this.#cancelMany(chance.pick(ACCOUNTS));
      return this.cancel(this.#pickOpen());
    }
    if (chance.hits(profile.control)) return this.#control();
    this.#read();
  }

  cancel(order: ModelOrder | null): void {
    if (order === null) return;
    const { orderId } = order.created;
    this.#world.write(`cancel ${orderId}`);
    this.#checkRefusedCancels(order);
    this.#noteCancel(keyOf(order));
    this.#post(order.created.account, `${ORDERS}/cancel`, this.#nameOf(order), (exchange) => {
      this.#checkCancel(order, answerOf(exchange));
    });
  }

  #noteCancel(key: string): void {
    const cancels = this.#cancels.get(key) ?? { sentCount: 0, refusedCount: 0 };
    this.#cancels.set(key, cancels);
    cancels.sentCount += 1;
  }

  #checkCancel(order: ModelOrder, { status, error_code: code }: Summary): void {
    const { orderId } = order.created;
    if (status === 'PENDING_CANCEL') {
      assert(isCancelled(order), `order ${orderId} is answered PENDING_CANCEL and is ${order.status}`);
    }
    if (code === 'EMS_INSTANCES_DOWN') this.#cancels.get(keyOf(order))!.refusedCount += 1;
    this.#checkRefusedCancels(order);
  }

  /** Expects that no client has cancelled the order when each cancel was answered as not executed. */
  #checkRefusedCancels(order: ModelOrder): void {
    const { orderId } = order.created;
    const cancels = this.#cancels.get(keyOf(order));
    if (cancels === undefined || cancels.refusedCount < cancels.sentCount) return;
    assert(order.canceller !== 'CLIENT', `each cancel of order ${orderId} was refused, and a client has cancelled it`);
  }

  /** Timers are dropped. */
  onRestore(): void {
    this.#armed.clear();
  }

  cancelOpen(): void {
    for (const orderId of this.#world.openOrders()) this.cancel(this.#world.audit.orders.get(orderId) ?? null);
  }

  /** Sets the timer of each account. */
  armAll(timeoutMs: number): void {
    for (const account of ACCOUNTS) this.#cancelAllAfter(account, timeoutMs);
  }

  /** Expects that the answers of GET for every order equal the model. */
  checkAnswers(): void {
    for (const order of this.#world.audit.orders.values()) {
      this.#readOne(order);
      this.#checkRefusedCancels(order);
    }
  }

  /** Expects that orders which were open when the timer of their account fired are being cancelled. */
  checkSwitches(): void {
    for (const [account, { orderIds, dueTrueMs }] of this.#armed) {
      if (dueTrueMs > this.#world.trueMs - SWITCH_MS) continue;
      for (const orderId of orderIds) {
        const order = this.#world.audit.orders.get(orderId);
        assert(
          order === undefined || isCancelled(order),
          `the switch of ${account} took effect: order ${orderId} goes on`,
        );
      }
    }
  }

  #place(): void {
    const { chance, profile } = this.#world;
    const isPair = chance.hits(profile.pair);
    const create = this.#newCreate(chance.pick(ACCOUNTS), isPair);
    this.#send(create);
    // A pair may wait for a price before it has an id.
    if (chance.hits(isPair ? 0.6 : 0.2)) this.#chase(create);
  }

  /** A request about the order of a recent create, mostly of one in flight. */
  #chaseRecent(): void {
    const { chance, clients } = this.#world;
    const recent = clients.creates.slice(-10);
    const inFlight = recent.filter(
      ({ placed, attemptCount, refusedCount }) => placed.length + refusedCount < attemptCount,
    );
    const among = inFlight.length > 0 && chance.hits(0.8) ? inFlight : recent;
    if (among.length > 0) this.#chase(chance.pick(among));
  }

  /** A request about the order of a create, by its client order id. It finds the order also before the answer. */
  #chase({ account, clientOrderId }: SentCreate): void {
    const { chance, clients } = this.#world;
    if (clientOrderId === null || chance.hits(0.1)) return this.#cancelAll(account);
    const action = chance.pick(['cancel', 'cancel', 'pause', 'amend'] as const);
    this.#world.write(`${action} ${clientOrderId}`);
    const sent = clients.sentBy(account, clientOrderId);
    if (action === 'cancel') this.#noteCancel(`${account} ${clientOrderId}`);
    const terms = action === 'amend' ? { params: { urgency: 'HIGH' } } : {};
    this.#post(account, `${ORDERS}/${action}`, { client_order_id: clientOrderId, ...terms }, (exchange) => {
      const isUnknown = answerOf(exchange).message === `client_order_id ${clientOrderId} is unknown`;
      if (isUnknown) clients.close(sent, () => false);
      else this.#checkChase(action, exchange);
    });
  }

  #checkChase(action: string, exchange: FakeExchange): void {
    const { audit } = this.#world;
    const answer = answerOf(exchange);
    const order = answer.order_id === undefined ? undefined : audit.orders.get(answer.order_id);
    if (order === undefined) return;
    if (action === 'cancel') return this.#checkCancel(order, answer);
    const isPaused = action !== 'pause' || answer.error_code !== undefined || order.kinds.has('ParentPauseRequested');
    assert(isPaused, `order ${answer.order_id} is answered as paused and goes on`);
  }

  #newCreate(account: string, isPair: boolean): SentCreate {
    const { chance, clients, nowMs } = this.#world;
    this.#requestCount += 1;
    const mark = `r${this.#requestCount}`;
    const clientOrderId = chance.hits(0.6) ? `c${this.#requestCount}` : null;
    const kind = isPair ? 'pair' : 'create';
    return clients.open(account, mark, clientOrderId, this.#clients[kind](mark, clientOrderId, nowMs));
  }

  /** Sometimes an order is in the batch twice: with a client order id it is placed once. */
  #placeMany(): void {
    const { chance, clients, profile } = this.#world;
    const account = chance.pick(ACCOUNTS);
    const isPair = chance.hits(profile.pair);
    const creates = Array.from({ length: chance.between(1, 5) }, () => this.#newCreate(account, isPair));
    if (chance.hits(0.3)) creates.push(chance.pick(creates));
    this.#world.write(`batch of ${account}: ${creates.map(({ body }) => JSON.stringify(body)).join(', ')}`);
    for (const create of creates) this.#noteAttempt(create);
    const body = { orders: creates.map((create) => create.body) };
    this.#post(account, `${ORDERS}/createMany${isPair ? '/multilegs' : ''}`, body, (exchange) =>
      clients.onBatchAnswer(creates, exchange),
    );
    if (chance.hits(0.2)) this.#chase(chance.pick(creates));
  }

  /** Requests a preview. An order with its mark fails the run, because no client sent a create with that mark. */
  #preview(): void {
    const { chance, nowMs } = this.#world;
    this.#requestCount += 1;
    const body = this.#clients.create(`p${this.#requestCount}`, null, nowMs);
    this.#world.write(`preview: ${JSON.stringify(body)}`);
    const isOld = this.#oldWhenStepped();
    this.#post(chance.pick(ACCOUNTS), `${ORDERS}/preview`, body, ({ status, body: answer }) => {
      assert(status === 200 || status === 503 || isOld(status), `a preview is answered ${answer}`);
    });
  }

  /**
   * True of a refusal for the timestamp, after the wall clock was put between the signature and the begin of the
   * request.
   */
  #oldWhenStepped(): (status: number) => boolean {
    const { clockSteps } = this.#world;
    return (status) => status === 401 && this.#world.clockSteps > clockSteps;
  }

  /** Halts the trading of an account until the operator lifts the halt. */
  #kill(account: string): void {
    this.#world.write(`${account} engages its kill switch`);
    const { liftCount } = this.#world.bounds.sighting(account);
    const isOld = this.#oldWhenStepped();
    this.#post(account, '/api/v2/trading/killSwitch', { engaged: true }, ({ status, body }) => {
      if (isOld(status)) return;
      assert(status === 200, `a kill switch is answered ${body}`);
      const { bounds } = this.#world;
      // The operator may have released it meanwhile.
      if (bounds.sighting(account).liftCount === liftCount) bounds.hold(account, { isHalted: true });
    });
  }

  #cancelMany(account: string): void {
    const { audit } = this.#world;
    const open = this.#world.openOrders().flatMap((orderId) => audit.orders.get(orderId) ?? []);
    const orders = open.filter(({ created }) => created.account === account).slice(0, 5);
    if (orders.length === 0) return;
    this.#world.write(`cancel ${orders.map(({ created }) => created.orderId).join(', ')}`);
    for (const order of orders) {
      this.#checkRefusedCancels(order);
      this.#noteCancel(keyOf(order));
    }
    const body = { orders: orders.map((order) => this.#nameOf(order)) };
    this.#post(account, `${ORDERS}/cancelMany`, body, (exchange) => {
      if (exchange.status !== 200) return;
      const summaries = JSON.parse(exchange.body) as readonly Summary[];
      assert(summaries.length === orders.length, `each member is answered: ${exchange.body}`);
      orders.forEach((order, index) => this.#checkCancel(order, summaries[index] as Summary));
    });
  }

  #noteAttempt(create: SentCreate): void {
    create.attemptCount += 1;
    create.sightings.push(this.#world.bounds.sighting(create.account));
  }

  /** Sends the same request again, or another one with the same client order id. */
  #repeat(): void {
    const { chance, clients, nowMs } = this.#world;
    if (clients.creates.length === 0) return;
    const unsettled = clients.unsettled.pop();
    if (unsettled !== undefined) return this.#send(unsettled);
    // Mostly a recent request: it may still be in flight.
    const back = Math.min(clients.creates.length, chance.skewed(1, 50));
    const earlier = clients.creates[clients.creates.length - back] as SentCreate;
    if (earlier.clientOrderId === null || chance.hits(0.6)) return this.#send(earlier);
    this.#requestCount += 1;
    const mark = `r${this.#requestCount}`;
    const { account, clientOrderId } = earlier;
    this.#send(clients.open(account, mark, clientOrderId, this.#clients.create(mark, clientOrderId, nowMs)));
  }

  #send(create: SentCreate): void {
    const { account, mark, body } = create;
    this.#world.write(`create ${mark} of ${account}: ${JSON.stringify(body)}`);
    this.#noteAttempt(create);
    const path = `${ORDERS}/create${'legs' in body ? '_multiLegs' : ''}`;
    this.#post(account, path, body, (exchange) => this.#world.clients.onAnswer(create, exchange));
  }

  #cancelAll(account: string): void {
    this.#world.write(`cancel all of ${account}`);
    const { audit } = this.#world;
    const known = this.#openOf(account);
    const sent = this.#world.clients.sentBy(account);
    this.#world.process.front.get(account, `${ORDERS}/cancelAll`, '', (exchange) => {
      assert(exchange.status !== 500, `cancelAll is answered ${exchange.body}`);
      if (exchange.status !== 200) return;
      const { orders } = JSON.parse(exchange.body) as { orders: readonly Summary[] };
      const refused = new Set(
        orders.flatMap(({ order_id: orderId, error_code: code }) => (isBusy(code) ? orderId : [])),
      );
      for (const orderId of known) {
        const order = audit.orders.get(orderId);
        const isLeft = order !== undefined && !isCancelled(order) && !refused.has(orderId);
        assert(!isLeft, `cancelAll is answered and order ${orderId} goes on`);
      }
      this.#world.clients.close(sent, (orderId) => {
        const order = audit.orders.get(orderId);
        return order === undefined || isCancelled(order) || refused.has(orderId);
      });
    });
  }

  #drawTimeoutMs(): number {
    const { chance } = this.#world;
    return chance.hits(0.3) ? 0 : chance.skewed(1_000, 30_000);
  }

  #cancelAllAfter(account: string, timeoutMs: number): void {
    this.#world.write(`cancel all of ${account} after ${timeoutMs} ms`);
    // Until the answer, either of the two may apply.
    this.#armed.delete(account);
    this.#post(account, `${ORDERS}/cancelAllAfter`, { timeout_ms: timeoutMs }, ({ status, body }) => {
      if (status !== 200) return;
      const { triggerTime } = JSON.parse(body) as { triggerTime: number | null };
      if (triggerTime === null) this.#armed.delete(account);
      else this.#armed.set(account, { orderIds: this.#openOf(account), dueTrueMs: this.#world.trueMs + timeoutMs });
    });
  }

  #openOf(account: string): OrderId[] {
    const { audit } = this.#world;
    return this.#world.openOrders().filter((orderId) => audit.orders.get(orderId)?.created.account === account);
  }

  /** Pauses, resumes or amends any open order, also when its status does not allow it. */
  #control(): void {
    const { chance } = this.#world;
    const paused = chance.hits(0.4) ? this.#pickPaused() : null;
    const kind = paused === null ? chance.pick(['pause', 'pause', 'resume', 'amend', 'amend'] as const) : 'resume';
    const order = paused ?? this.#pickOpen();
    if (order === null) return;
    const { account, orderId } = order.created;
    const { instrument, limitPrice } = leadingLeg(order.created);
    this.#world.write(`${kind} ${orderId}`);
    const name = this.#nameOf(order);
    if (kind !== 'amend') {
      return this.#post(account, `${ORDERS}/${kind}`, name, (exchange) => {
        const { error_code: code } = answerOf(exchange);
        if (code !== undefined || kind !== 'pause' || exchange.status !== 200) return;
        assert(order.kinds.has('ParentPauseRequested'), `order ${orderId} is answered as paused and goes on`);
      });
    }
    const amendable = {
      instrument: CATALOGUE.at(instrument),
      quantity: BigInt(leadingLeg(order.terms).quantity),
      hasLimit: limitPrice !== null,
    };
    const terms = this.#clients.amendment(name, amendable, this.#world.nowMs);
    const revision = latestTerms(order).revision + 1;
    this.#post(account, `${ORDERS}/amend`, terms, (exchange) => {
      const { error_code: code } = answerOf(exchange);
      if (code === 'EMS_INSTANCES_DOWN') return this.#checkKeepsTerms(order, terms, revision);
      // A request without effect gets the same answer.
      if (code !== undefined || exchange.status !== 200 || terms['quantity'] === undefined) return;
      const isAmended = order.kinds.has('ParentAmendRequested') || order.kinds.has('ParentAmended');
      if (unitsOf(terms['quantity'] as string, leadingLeg(order.terms).quantityPrecision) === amendable.quantity)
        return;
      assert(isAmended || isEnded(order), `order ${orderId} is answered as amended and keeps its terms`);
    });
  }

  /** True when the answer reports that the shard is down and has not accepted the request. */
  #checkKeepsTerms(order: ModelOrder, { quantity: asked }: Body, revision: number): void {
    if (asked === undefined) return;
    const latest = latestTerms(order);
    const { quantity, quantityPrecision } = leadingLeg(latest);
    const isTaken = latest.revision === revision && unitsOf(asked as string, quantityPrecision) === BigInt(quantity);
    assert(
      !isTaken,
      `order ${latest.orderId} is amended to ${asked as string} and the client is answered that it is not`,
    );
  }

  #read(): void {
    const { chance, audit } = this.#world;
    const orders = [...audit.orders.values()];
    if (orders.length > 0) this.#readOne(chance.pick(orders));
  }

  #readOne(order: ModelOrder): void {
    const { account, orderId } = order.created;
    const { journal, profile, audit } = this.#world;
    const { length } = journal.entries;
    const isReleased = audit.isReleased(account);
    this.#world.process.front.get(account, `${ORDERS}/byId`, `orderIds=${orderId}`, ({ status, body }) => {
      if (status === 503 && profile.lag > 0) return;
      // It shows the order at an instant since the request, with every event that was released by then.
      if (!isReleased || journal.entries.length > length) return;
      assert(status === 200, `order ${orderId} is answered ${body}`);
      for (const part of [`{"order_id":${orderId},`, `"status":"${order.status}"`, ...answeredParts(order)]) {
        assert(body.includes(part), `order ${orderId} is answered with ${part}: ${body}`);
      }
    });
  }

  #nameOf({ created: { orderId, clientOrderId } }: ModelOrder): Body {
    if (clientOrderId !== null && this.#world.chance.hits(0.5)) return { client_order_id: clientOrderId };
    return { order_id: orderId };
  }

  #pickOpen(): ModelOrder | null {
    const open = this.#world.openOrders();
    return open.length === 0 ? null : (this.#world.audit.orders.get(this.#world.chance.pick(open)) ?? null);
  }

  #pickPaused(): ModelOrder | null {
    const paused = [...this.#world.audit.model.open.values()].filter(({ status }) => status === 'PAUSED');
    return paused.length === 0 ? null : this.#world.chance.pick(paused);
  }

  #post(account: string, path: string, body: Body, onAnswer: (exchange: FakeExchange) => void): void {
    const { process, chance } = this.#world;
    const exchange = process.front.post(account, path, body, (answered) => {
      assert(answered.status !== 500, `${path} is answered ${answered.body}`);
      // The answer of a dead process is lost.
      onAnswer(answered);
    });
    if (chance.hits(ABORTED)) exchange.abort();
  }
}

/** The terms of the last request of the client. */
function latestTerms({ wanted, terms }: ModelOrder): ParentOrder {
  return wanted ?? terms;
}

/** The answer has the legs of a multi-leg order; the average prices are compared there. */
function answeredParts(order: ModelOrder): readonly string[] {
  const [quantities = '', average = ''] = progressParts(order);
  return order.created.pair === null ? [quantities, average] : [quantities];
}

/** Identifies an order to its account. */
function keyOf({ created: { account, clientOrderId, orderId } }: ModelOrder): string {
  return `${account} ${clientOrderId ?? orderId}`;
}

function isCancelled(order: ModelOrder): boolean {
  return isEnded(order) || order.status === 'PENDING_CANCEL';
}

/** The order may be unchanged. */
function isBusy(code: string | undefined): boolean {
  return code === 'EMS_INSTANCES_DOWN' || code === 'SYSTEM_BUSY';
}

function answerOf({ body }: FakeExchange): Summary {
  return JSON.parse(body) as Summary;
}
