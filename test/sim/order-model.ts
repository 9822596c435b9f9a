import { assert } from '../../src/model/assert.js';
import type { EventEnvelope, Fill, OrderEvent } from '../../src/model/event.js';
import type { ChildNumber, OrderId } from '../../src/model/ids.js';
import type { ChildOrder, ParentOrder, RestingStatus } from '../../src/model/order.js';

export interface ModelChild {
  readonly order: ChildOrder;
  readonly fills: Fill[];
  /** It was placed in a future that a restore has lost. */
  readonly isAdopted: boolean;
  isLive: boolean;
}

/** What an order has come to by the model's own arithmetic. */
export interface ModelOrder {
  readonly created: ParentOrder;
  /** As last amended. */
  terms: ParentOrder;
  status: RestingStatus;
  /** New terms that are wanted; null: none. */
  wanted: ParentOrder | null;
  readonly children: Map<ChildNumber, ModelChild>;
  readonly kinds: Set<OrderEvent['kind']>;
  lateFills: number;
  /** null: it was never quarantined. */
  quarantine: 'held' | 'released' | null;
  /** An exchange sent a forged report about it: its reports need not agree. */
  isForged: boolean;
  /** Its exchanges may know children that are not known here. */
  isReconciling: boolean;
  /** It has come through a restore: its exchanges may have more of it than its terms allow. */
  isRestored: boolean;
  /** It had ended in the backup: what its exchanges did later is not looked for. */
  isOld: boolean;
  /** Numbers up to these may be used by children of a lost future: of the order, and of the other leg of a pair. */
  childFloors: readonly [number, number];
}

const ENDED: ReadonlySet<RestingStatus> = new Set(['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED']);
/** What may happen to a quarantined order: facts, its reconciliation, a cancel, and its release. */
const QUARANTINED: ReadonlySet<OrderEvent['kind']> = new Set([
  'ParentReleased',
  'ParentRestored',
  'ParentReconciled',
  'ParentAccepted',
  'ChildAdopted',
  'ParentCancelRequested',
  'ParentCancelled',
  'ReportContradicted',
  'ChildAccepted',
  'ChildRejected',
  'ChildFilled',
  'ChildCancelRequested',
  'ChildCancelRefused',
  'ChildCancelled',
  'ChildUnknown',
  'ChildNeverPlaced',
]);
/** Where the hedge of a pair goes on although the order is not worked. */
const HEDGING: ReadonlySet<RestingStatus> = new Set(['PENDING_PAUSE', 'PAUSED', 'PENDING_UNPAUSE', 'PENDING_CANCEL']);
const TRADING: ReadonlySet<RestingStatus> = new Set(['ACCEPTED', 'PARTIALLY_FILLED']);

/**
 * Says where every order stands, from the journalled facts alone. It shares no code with the service: it is simple and
 * slow, keeps every fill, and adds them up anew each time. An order is quarantined when its venue contradicts itself, and
 * for nothing else.
 */
export class OrderModel {
  readonly orders = new Map<OrderId, ModelOrder>();
  /** Those of the orders that have not ended. */
  readonly open = new Map<OrderId, ModelOrder>();
  readonly #isForged: (orderId: OrderId) => boolean;

  /** `isForged`: whether a report on the order contradicts what its venue did. */
  constructor(isForged: (orderId: OrderId) => boolean) {
    this.#isForged = isForged;
  }

  /** Takes in one fact, and compares what the service says of the order with what the model finds. */
  apply(envelope: EventEnvelope, event: OrderEvent): ModelOrder {
    const orderId = envelope.orderId as OrderId;
    const order = this.#orderOf(orderId, event);
    const before = order.status;
    order.kinds.add(event.kind);
    order.isForged = this.#isForged(orderId);
    if (order.quarantine !== null) assert(QUARANTINED.has(event.kind), `${event.kind} of quarantined order ${orderId}`);
    order.status = statusAfter(order, event);
    if (ENDED.has(order.status)) this.open.delete(orderId);
    const at = `order ${orderId} after ${event.kind}`;
    if (ENDED.has(before)) {
      const isFact = (event.kind === 'ChildFilled' && event.isLate) || event.kind === 'ReportContradicted';
      assert(isFact, `${event.kind} after the end of order ${orderId}`);
      assert(order.status === before, `${at}: an end absorbs`);
    }
    const filled = filledOf(order);
    if (order.lateFills === 0 && !order.isForged && !order.isRestored) checkQuantities(order, at);
    assert(!ENDED.has(order.status) || !isLiving(order), `${at}: it has ended and a child lives`);
    const { parent } = envelope;
    assert(parent !== null, `${at}: the envelope says where the order stands`);
    same(parent.status, order.status, at, 'status');
    same(BigInt(parent.filled), filled, at, 'filled');
    same(parent.notional, notionalOf(order), at, 'notional');
    same(parent.quantity, order.terms.quantity, at, 'quantity');
    same(parent.revision, order.terms.revision, at, 'revision');
    if (order.created.pair !== null) {
      same(BigInt(parent.follower?.filled ?? -1), filledOf(order, true), at, 'filled of the other leg');
      same(parent.follower?.notional, notionalOf(order, true), at, 'notional of the other leg');
    }
    return order;
  }

  #orderOf(orderId: OrderId, event: OrderEvent): ModelOrder {
    const known = this.orders.get(orderId);
    if (known !== undefined) {
      assert(event.kind !== 'ParentCreated', `order ${orderId} is created once`);
      return known;
    }
    assert(event.kind === 'ParentCreated', `${event.kind} of unknown order ${orderId}`);
    const order: ModelOrder = {
      created: event.order,
      terms: event.order,
      status: 'PENDING_NEW',
      wanted: null,
      children: new Map(),
      kinds: new Set(),
      lateFills: 0,
      quarantine: null,
      isForged: false,
      isReconciling: false,
      isRestored: false,
      isOld: false,
      childFloors: [0, 0],
    };
    this.orders.set(orderId, order);
    this.open.set(orderId, order);
    return order;
  }
}

/** Neither the order nor the other leg of a pair trades more than its quantity. */
function checkQuantities(order: ModelOrder, at: string): void {
  for (const [leg, ofOther] of [
    [order.terms, false],
    [otherLegOf(order.terms), true],
  ] as const) {
    if (leg === null) continue;
    const [filled, working] = [filledOf(order, ofOther), workingOf(order, ofOther)];
    assert(filled + working <= BigInt(leg.quantity), `${at}: ${filled} filled and ${working} working exceed it`);
  }
}

/** What a child of an order trades: the order's own terms, or those of the other leg of a pair. */
export type Leg = Pick<ParentOrder, 'venue' | 'instrument' | 'side' | 'quantity' | 'limitPrice'> &
  Pick<ParentOrder, 'quantityPrecision' | 'pricePrecision'>;

/** The leg of a pair that does not lead; null: the order is no pair. */
export function otherLegOf({ pair }: ParentOrder): Leg | null {
  return pair === null ? null : pair.legs[pair.leadingIndex === 0 ? 1 : 0];
}

/** Children of the other leg of a pair have even numbers. */
export function legOf(terms: ParentOrder, child: number): Leg {
  return (child % 2 === 0 ? otherLegOf(terms) : null) ?? terms;
}

/** The children of an order, or of one leg of a pair. */
function childrenOf({ children, created }: ModelOrder, ofOther: boolean): ModelChild[] {
  const all = [...children.values()];
  return created.pair === null ? all : all.filter(({ order }) => (order.child % 2 === 0) === ofOther);
}

/** All fills of an order, or of the other leg of a pair, in the order of their children. */
function fillsOf(order: ModelOrder, ofOther: boolean): Fill[] {
  return childrenOf(order, ofOther).flatMap(({ fills }) => fills);
}

export function filledOf(order: ModelOrder, ofOther = false): bigint {
  return fillsOf(order, ofOther).reduce((sum, { quantity }) => sum + BigInt(quantity), 0n);
}

/** In lots times ticks. */
export function notionalOf(order: ModelOrder, ofOther = false): bigint {
  return fillsOf(order, ofOther).reduce((sum, { quantity, price }) => sum + BigInt(quantity) * BigInt(price), 0n);
}

/** What the children of an order, or of the other leg of a pair, may still trade. */
function workingOf(model: ModelOrder, ofOther = false): bigint {
  let working = 0n;
  for (const { order, fills, isLive } of childrenOf(model, ofOther)) {
    if (isLive) working += BigInt(order.quantity) - fills.reduce((sum, { quantity }) => sum + BigInt(quantity), 0n);
  }
  return working;
}

function isLiving({ children }: ModelOrder): boolean {
  return [...children.values()].some(({ isLive }) => isLive);
}

export function isEnded({ status }: Pick<ModelOrder, 'status'>): boolean {
  return ENDED.has(status);
}

/** Applies the fact to all but the status, which it returns. */
function statusAfter(order: ModelOrder, event: OrderEvent): RestingStatus {
  const { status } = order;
  const refuse = (): never => assert(false, `${event.kind} of order ${order.created.orderId} in ${status}`) as never;
  const from = (...allowed: RestingStatus[]): void => void (allowed.includes(status) || refuse());
  const isHedging = order.created.pair !== null && HEDGING.has(status);
  switch (event.kind) {
    case 'ParentCreated':
      return 'PENDING_NEW';
    case 'ParentAccepted':
      from('PENDING_NEW');
      return 'ACCEPTED';
    case 'ParentRejected':
      from('PENDING_NEW', 'ACCEPTED');
      return 'REJECTED';
    case 'ParentStarted':
    case 'ParentPlanned':
    case 'StrategyNoted':
      if (!(isHedging && event.kind === 'StrategyNoted')) from('ACCEPTED', 'PARTIALLY_FILLED');
      return status;
    case 'ParentCancelRequested':
      if (ENDED.has(status) || status === 'PENDING_CANCEL') refuse();
      return 'PENDING_CANCEL';
    case 'ParentCancelled':
      if (!isHedging) from('ACCEPTED', 'PARTIALLY_FILLED', 'PENDING_CANCEL');
      return 'CANCELLED';
    case 'ParentExpired':
      if (ENDED.has(status) || status === 'PENDING_CANCEL') refuse();
      return 'EXPIRED';
    case 'ParentPauseRequested':
      from('ACCEPTED', 'PARTIALLY_FILLED');
      return 'PENDING_PAUSE';
    case 'ParentPaused':
      from('PENDING_PAUSE');
      assert(!isLiving(order), `order ${order.created.orderId} is paused and a child rests`);
      return 'PAUSED';
    case 'ParentResumeRequested':
      from('PAUSED');
      return 'PENDING_UNPAUSE';
    case 'ParentResumed':
      from('PENDING_UNPAUSE');
      return filledOf(order) > 0n ? 'PARTIALLY_FILLED' : 'ACCEPTED';
    case 'ParentAmendRequested':
      order.wanted = event.order;
      return status;
    case 'ParentAmended':
      checkTerms(order, event.order);
      order.terms = event.order;
      order.wanted = null;
      return completed(order, status);
    case 'ParentQuarantined': {
      const isCaused = order.isForged && event.code === 'CONTRADICTORY_REPORT';
      assert(isCaused, `order ${order.created.orderId} is quarantined: ${event.code}: ${event.detail}`);
      if (ENDED.has(status)) refuse();
      order.quarantine = 'held';
      return status;
    }
    case 'ReportContradicted':
      // A repeated answer on an open child may be older than a fill. If it quarantines the order, the run fails.
      assert(
        order.isForged || order.isRestored || event.contradiction === 'FILLED_UNDER_KNOWN',
        `a report on order ${order.created.orderId} is contradictory: ${event.detail}`,
      );
      return status;
    case 'ParentReleased':
      assert(order.quarantine === 'held', `order ${order.created.orderId} is released once, and was quarantined`);
      order.quarantine = 'released';
      return 'PENDING_CANCEL';
    case 'ChildSubmitted':
      // The hedge of a pair goes on while its leading leg is not worked, and takes.
      if (order.isReconciling || !(TRADING.has(status) || (isHedging && event.order.timeInForce === 'IOC'))) refuse();
      submit(order, event.order, false);
      return status;
    case 'ChildFilled': {
      fill(order, event.child, event.fill, event.isLate);
      return completed(order, status === 'ACCEPTED' ? 'PARTIALLY_FILLED' : status);
    }
    case 'ChildRejected':
    case 'ChildCancelled':
    case 'ChildNeverPlaced':
      live(order, event.child, event.kind).isLive = false;
      return completed(order, status);
    case 'ChildAccepted':
    case 'ChildCancelRequested':
    case 'ChildCancelRefused':
    case 'ChildUnknown':
      live(order, event.child, event.kind);
      return completed(order, status);
    case 'ParentRestored':
      if (ENDED.has(status)) refuse();
      order.isReconciling = true;
      order.isRestored = true;
      return status;
    case 'ChildAdopted':
      assert(order.isReconciling, `order ${order.created.orderId} adopts a child while it is reconciled`);
      submit(order, event.order, true);
      return status;
    case 'ParentReconciled':
      assert(order.isReconciling, `order ${order.created.orderId} is reconciled once`);
      order.isReconciling = false;
      order.childFloors = floorsAfter(order, event.childRoom);
      return completed(order, status);
    default:
      return refuse();
  }
}

/** FILLED once nothing is left to fill, by the terms that hold and by those that are wanted, and no child lives. */
function completed(order: ModelOrder, status: RestingStatus): RestingStatus {
  if (ENDED.has(status) || order.quarantine !== null || order.isReconciling) return status;
  if (isLiving(order)) return status;
  const other = otherLegOf(order.terms);
  if (other !== null && filledOf(order, true) < BigInt(other.quantity)) return status;
  const wanted = Math.max(order.terms.quantity, order.wanted?.quantity ?? 0);
  return filledOf(order) >= BigInt(wanted) ? 'FILLED' : status;
}

/** New terms hold once no child is against them. */
function checkTerms(order: ModelOrder, terms: ParentOrder): void {
  const { orderId, account, side, instrument, venue } = order.created;
  const isSame = terms.orderId === orderId && terms.account === account && terms.side === side;
  assert(
    isSame && terms.instrument === instrument && terms.venue === venue,
    `order ${orderId} is still the same order`,
  );
  assert(terms.revision > order.terms.revision, `order ${orderId} has a later revision`);
  for (const child of order.children.values()) {
    if (child.isLive && !child.isAdopted)
      assert(
        isInside(child.order, legOf(terms, child.order.child)),
        `child ${orderId}-${child.order.child} rests against the new terms`,
      );
  }
}

function submit(order: ModelOrder, child: ChildOrder, isAdopted: boolean): void {
  const id = `child ${order.created.orderId}-${child.child}`;
  assert(!order.children.has(child.child), `${id} is new`);
  const leg = legOf(order.terms, child.child);
  assert(child.side === leg.side, `${id} is on the side of its order`);
  const floor = order.childFloors[order.created.pair !== null && child.child % 2 === 0 ? 1 : 0];
  assert(child.child > floor, `${id} is not one of a lost future`);
  assert(isAdopted || isInside(child, leg), `${id} is inside the limit of its order`);
  order.children.set(child.child, { order: child, fills: [], isAdopted, isLive: true });
}

function fill(order: ModelOrder, number: ChildNumber, one: Fill, isLate: boolean): void {
  const id = `child ${order.created.orderId}-${number}`;
  const child = order.children.get(number) ?? (order.isForged ? forgedChild(order, number) : undefined);
  assert(child !== undefined, `${id} is filled and was never submitted`);
  // An honest venue states with the end of a child what has filled of it: the end is believed once that is recorded.
  assert(!isLate || order.isForged || order.isRestored, `${id} is filled after its end`);
  assert(child.isLive !== isLate, `${id}: a fill is late when its child has ended`);
  assert(!child.fills.some(({ tradeId }) => tradeId === one.tradeId), `${id}: trade ${one.tradeId} counts once`);
  child.fills.push(one);
  if (isLate) order.lateFills += 1;
  const filled = child.fills.reduce((sum, { quantity }) => sum + quantity, 0);
  // What cannot be is a fact as well; the order is set apart before it is recorded. An ended child has no bound here.
  const isSetApart = order.quarantine !== null || ENDED.has(order.status);
  const isInside = isPlaced(child) && (isLate || (filled <= child.order.quantity && isWithin(one, child.order)));
  assert(
    isInside || isSetApart,
    `${id} is placed, and filled within its quantity and limit, or its order is set apart`,
  );
  if (!isLate && filled === child.order.quantity) child.isLive = false;
}

/** A restore leaves out so many numbers of each leg; those of a pair are two apart. */
function floorsAfter({ childFloors, children, created }: ModelOrder, room: number): [number, number] {
  const isPair = created.pair !== null;
  const floorOf = (ofOther: boolean): number => {
    const own = [...children.keys()].filter((number) => !isPair || (number % 2 === 0) === ofOther);
    return Math.max(childFloors[ofOther ? 1 : 0], 0, ...own) + (isPair ? 2 : 1) * room;
  };
  return [floorOf(false), floorOf(true)];
}

/** A child that its order never placed: its fills count. */
function forgedChild({ children, terms }: ModelOrder, number: ChildNumber): ModelChild {
  const { side, limitPrice } = legOf(terms, number);
  const order = { child: number, side, quantity: 0, limitPrice } as ChildOrder;
  const child = { order, fills: [], isAdopted: false, isLive: false };
  children.set(number, child);
  return child;
}

function isPlaced({ order }: ModelChild): boolean {
  return order.quantity > 0;
}

/** No worse than the limit of the child. */
function isWithin({ price }: Fill, { limitPrice, side }: ChildOrder): boolean {
  if (limitPrice === null) return true;
  return side === 'BUY' ? price <= limitPrice : price >= limitPrice;
}

function live(order: ModelOrder, number: ChildNumber, kind: string): ModelChild {
  const child = order.children.get(number);
  assert(child?.isLive === true, `${kind} of child ${order.created.orderId}-${number}, which does not live`);
  return child;
}

function isInside(child: ChildOrder, { limitPrice, side }: Leg): boolean {
  if (limitPrice === null) return true;
  if (child.limitPrice === null) return false;
  return side === 'BUY' ? child.limitPrice <= limitPrice : child.limitPrice >= limitPrice;
}

function same(actual: unknown, expected: unknown, at: string, what: string): void {
  if (actual !== expected) assert(false, `${at}: ${what} is ${String(actual)} and must be ${String(expected)}`);
}
