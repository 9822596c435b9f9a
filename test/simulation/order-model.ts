import type { Canceller } from '../../src/domain/cancel-cause.js';
import { assert } from '../../src/domain/rejection.js';
import type { EventEnvelope, Fill, OrderEvent } from '../../src/domain/event.js';
import type { ChildNumber, OrderId } from '../../src/domain/ids.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { ParentOrder, SettledStatus, Leg } from '../../src/domain/order.js';
import { hedgingIndexOf, legAt, type LegIndex } from '../../src/domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../../src/domain/order-legs.js';

type ChildFilled = Extract<OrderEvent, { kind: 'ChildFilled' }>;

export interface ModelChild {
  readonly order: ChildOrder;
  readonly fills: Fill[];
  /** It was placed in a future that a restore has lost. */
  readonly isAdopted: boolean;
  isLive: boolean;
}

/** State of an order by the model's own arithmetic. */
export interface ModelOrder {
  readonly created: ParentOrder;
  /** Terms in force. */
  terms: ParentOrder;
  status: SettledStatus;
  /** Requested terms that are not in force yet; null: none. */
  wanted: ParentOrder | null;
  readonly children: Map<ChildNumber, ModelChild>;
  readonly kinds: Set<OrderEvent['kind']>;
  /** Cause of its first cancel; null: it was not cancelled. */
  canceller: Canceller | null;
  lateFills: number;
  /** null: it was never quarantined. */
  quarantine: 'held' | 'released' | null;
  /** An exchange sent a forged report about it: its reports need not agree. */
  isForged: boolean;
  /** Its exchanges may have children that are not in the model. */
  isReconciling: boolean;
  /** It was restored, so its exchanges may have more children and fills than its terms allow. */
  isRestored: boolean;
  /** It had ended in the backup. Later acts of its exchanges are not checked. */
  isOld: boolean;
  /** Children of a lost future may have used numbers up to this one. */
  childFloor: number;
}

const ENDED: ReadonlySet<SettledStatus> = new Set(['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED']);
/** Events of a quarantined order: facts, its reconciliation, a cancel, and its release. */
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
/** Statuses in which the hedge of a pair continues although the order does not trade. */
const HEDGING: ReadonlySet<SettledStatus> = new Set(['PENDING_PAUSE', 'PAUSED', 'PENDING_UNPAUSE', 'PENDING_CANCEL']);
const TRADING: ReadonlySet<SettledStatus> = new Set(['ACCEPTED', 'PARTIALLY_FILLED']);

/**
 * Derives the state of every order from the journalled facts alone. It shares no code with the service: it is simple
 * and slow, keeps every fill, and adds the fills up again each time. Only a contradiction of its venue quarantines an
 * order.
 */
export class OrderModel {
  readonly orders = new Map<OrderId, ModelOrder>();
  /** Orders that have not ended. */
  readonly open = new Map<OrderId, ModelOrder>();
  readonly #isForged: (orderId: OrderId) => boolean;

  /** `isForged`: true when a report on the order contradicts the acts of its venue. */
  constructor(isForged: (orderId: OrderId) => boolean) {
    this.#isForged = isForged;
  }

  /** Applies one fact and compares the order of the service with the model. */
  apply(envelope: EventEnvelope, event: OrderEvent): ModelOrder {
    const orderId = envelope.orderId as OrderId;
    const order = this.#orderOf(orderId, event);
    const before = order.status;
    order.kinds.add(event.kind);
    order.canceller ??= cancellerIn(event);
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
    const leading = legAt(parent.legs, leadingIndexOf(order.created));
    same(BigInt(leading.filled), filled, at, 'filled');
    same(leading.notional, notionalOf(order), at, 'notional');
    same(leading.quantity, leadingLeg(order.terms).quantity, at, 'quantity');
    same(parent.revision, order.terms.revision, at, 'revision');
    if (order.created.pair !== null) {
      const other = legAt(parent.legs, hedgingIndexOf(order.created.pair));
      same(BigInt(other.filled), filledOf(order, true), at, 'filled of the other leg');
      same(other.notional, notionalOf(order, true), at, 'notional of the other leg');
      same(other.quantity, otherLegOf(order.terms)?.quantity, at, 'quantity of the other leg');
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
      canceller: null,
      lateFills: 0,
      quarantine: null,
      isForged: false,
      isReconciling: false,
      isRestored: false,
      isOld: false,
      childFloor: 0,
    };
    this.orders.set(orderId, order);
    this.open.set(orderId, order);
    return order;
  }
}

/** Expects that no leg of the order trades more than its quantity. */
function checkQuantities(order: ModelOrder, at: string): void {
  for (const [leg, ofOther] of [
    [leadingLeg(order.terms), false],
    [otherLegOf(order.terms), true],
  ] as const) {
    if (leg === null) continue;
    const [filled, working] = [filledOf(order, ofOther), workingOf(order, ofOther)];
    assert(filled + working <= BigInt(leg.quantity), `${at}: ${filled} filled and ${working} working exceed it`);
  }
}

/** The hedging leg of a pair; null: the order is not a pair. */
export function otherLegOf({ legs, pair }: ParentOrder): Leg | null {
  return pair === null ? null : legAt(legs, pair.leadingIndex === 0 ? 1 : 0);
}

/** True for the leg of a pair that does not lead. */
export function isOther({ pair }: ParentOrder, leg: LegIndex): boolean {
  return pair !== null && leg !== pair.leadingIndex;
}

/** The children of an order, or of one leg of a pair. */
function childrenOf({ children, created }: ModelOrder, ofOther: boolean): ModelChild[] {
  const all = [...children.values()];
  return created.pair === null ? all : all.filter(({ order }) => isOther(created, order.leg) === ofOther);
}

/** All fills of an order or of the hedging leg of a pair, sorted by child. */
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

/** Quantity that the children of a leg may still trade. */
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

/** Applies the fact to the state without its status, and returns the new status. */
function cancellerIn(event: OrderEvent): Canceller | null {
  const isCancel = event.kind === 'ParentCancelRequested' || event.kind === 'ParentCancelled';
  return isCancel ? (event.cancelCause?.by ?? null) : null;
}

function statusAfter(order: ModelOrder, event: OrderEvent): SettledStatus {
  const { status } = order;
  const refuse = (): never => assert(false, `${event.kind} of order ${order.created.orderId} in ${status}`) as never;
  const from = (...allowed: SettledStatus[]): void => void (allowed.includes(status) || refuse());
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
    case 'ChildSettled':
      // No operator settles a child here.
      return refuse();
    case 'ChildSubmitted':
      // The hedge of a pair continues while its leading leg does not trade, and takes liquidity.
      if (order.isReconciling || !(TRADING.has(status) || (isHedging && event.order.timeInForce === 'IOC'))) refuse();
      submit(order, event.order, false);
      return status;
    case 'ChildFilled': {
      fill(order, event);
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
      order.childFloor = floorAfter(order, event.childRoom);
      return completed(order, status);
    default:
      return refuse();
  }
}

/** FILLED when the leaves are 0 by the terms in force and by the wanted terms, and no child is live. */
function completed(order: ModelOrder, status: SettledStatus): SettledStatus {
  if (ENDED.has(status) || order.quarantine !== null || order.isReconciling) return status;
  if (isLiving(order)) return status;
  const other = otherLegOf(order.terms);
  if (other !== null && filledOf(order, true) < BigInt(other.quantity)) return status;
  const { quantity } = leadingLeg(order.terms);
  const wanted = Math.max(quantity, order.wanted === null ? 0 : leadingLeg(order.wanted).quantity);
  return filledOf(order) >= BigInt(wanted) ? 'FILLED' : status;
}

/** New terms take effect when no child violates them. */
function checkTerms(order: ModelOrder, terms: ParentOrder): void {
  const { orderId, account, legs } = order.created;
  const isSame = terms.orderId === orderId && terms.account === account && terms.legs.length === legs.length;
  assert(isSame, `order ${orderId} is still the same order`);
  for (const [index, { side, instrument, venue }] of terms.legs.entries()) {
    const leg = legAt(legs, index as LegIndex);
    const isSameLeg = leg.side === side && leg.instrument === instrument && leg.venue === venue;
    assert(isSameLeg, `leg ${index} of order ${orderId} trades the same as before`);
  }
  assert(terms.revision > order.terms.revision, `order ${orderId} has a later revision`);
  for (const child of order.children.values()) {
    if (child.isLive && !child.isAdopted)
      assert(
        isInside(child.order, legAt(terms.legs, child.order.leg)),
        `child ${orderId}-${child.order.child} rests against the new terms`,
      );
  }
}

function submit(order: ModelOrder, child: ChildOrder, isAdopted: boolean): void {
  const id = `child ${order.created.orderId}-${child.child}`;
  assert(!order.children.has(child.child), `${id} is new`);
  const leg = legAt(order.terms.legs, child.leg);
  assert(child.side === leg.side, `${id} is on the side of its order`);
  assert(child.child > order.childFloor, `${id} is not one of a lost future`);
  assert(isAdopted || isInside(child, leg), `${id} is inside the limit of its order`);
  order.children.set(child.child, { order: child, fills: [], isAdopted, isLive: true });
}

function fill(order: ModelOrder, { child: number, leg, fill: one, isLate }: ChildFilled): void {
  const id = `child ${order.created.orderId}-${number}`;
  const child = order.children.get(number) ?? (order.isForged ? forgedChild(order, number, leg) : undefined);
  assert(child !== undefined, `${id} is filled and was never submitted`);
  // An honest venue reports the filled quantity with the end of a child. The end counts when these fills are recorded.
  assert(!isLate || order.isForged || order.isRestored, `${id} is filled after its end`);
  assert(child.isLive !== isLate, `${id}: a fill is late when its child has ended`);
  assert(!child.fills.some(({ tradeId }) => tradeId === one.tradeId), `${id}: trade ${one.tradeId} counts once`);
  child.fills.push(one);
  if (isLate) order.lateFills += 1;
  const filled = child.fills.reduce((sum, { quantity }) => sum + quantity, 0);
  // An impossible report is recorded as a fact too; the order is quarantined first. An ended child has no bound here.
  const isSetApart = order.quarantine !== null || ENDED.has(order.status);
  const isInside = isPlaced(child) && (isLate || (filled <= child.order.quantity && isWithin(one, child.order)));
  assert(
    isInside || isSetApart,
    `${id} is placed, and filled within its quantity and limit, or its order is set apart`,
  );
  if (!isLate && filled === child.order.quantity) child.isLive = false;
}

/** Child numbers that a restore skips for each leg. */
function floorAfter({ childFloor, children, created }: ModelOrder, room: number): number {
  return Math.max(childFloor, ...children.keys()) + (created.pair === null ? 1 : 2) * room;
}

/** A child that its order never placed. Its fills count. */
function forgedChild({ children, terms }: ModelOrder, number: ChildNumber, leg: LegIndex): ModelChild {
  const { side, limitPrice } = legAt(terms.legs, leg);
  const order = { child: number, leg, side, quantity: 0, limitPrice } as ChildOrder;
  const child = { order, fills: [], isAdopted: false, isLive: false };
  children.set(number, child);
  return child;
}

function isPlaced({ order }: ModelChild): boolean {
  return order.quantity > 0;
}

/** True when the price is not worse than the limit of the child. */
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
