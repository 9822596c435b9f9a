import { type ChildSettlement, settlementRefusal } from '../domain/child-settlement.js';
import { type ChildNumber, childClientId, type OrderId } from '../domain/ids.js';
import { type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import { legAt } from '../domain/pair.js';
import { formatLots, formatTicks, type Grid, type Lots, parseSteps, stepsOfUnits } from '../domain/quantity.js';
import type { StepFailure, Ticks } from '../domain/quantity.js';
import { isRejected, type OrRejection, reject, Rejected } from '../domain/rejection.js';
import { readStoredOrder } from '../journal/state/stored-orders.js';
import { type AdminSite, audit, operatorName } from './admin-site.js';

/** How a child has ended, as the operator states it. */
export interface ChildStatement {
  /** ORDER-NUMBER. */
  readonly name: string;
  /** Quantity that it has filled in total, in base units; absent: nothing. */
  readonly filled?: string | undefined;
  readonly price?: string | undefined;
}

/** A requested settlement, as text. */
export interface RequestedSettlement {
  readonly child_order_id: string;
  readonly quantity: string;
  readonly filled_quantity: string;
  readonly price?: string;
  /** True: a running service carries out the settlement at once. False: the next start does. */
  readonly isServiceRunning: boolean;
}

/**
 * Requests the settlement of an unknown child. Durable on resolve. A later request for the same child replaces it until
 * it is carried out.
 */
export async function settleChild(
  site: AdminSite,
  statement: ChildStatement,
): Promise<OrRejection<RequestedSettlement>> {
  const { dataDir, identity, isServiceRunning, reason, by } = site;
  const { name } = statement;
  const named = nameOf(name);
  if (named === null) return reject('INVALID_PARAM', `child ${JSON.stringify(name)} is not ORDER-NUMBER`);
  const { orderId, child } = named;
  const stored = await readStoredOrder(dataDir, orderId);
  if (stored === null) return reject('INVALID_ORDER', `order_id ${orderId} is not stored in ${dataDir}`);
  const { state } = stored;
  if (state === null) return reject('SYSTEM_ERROR', `the stored state of order_id ${orderId} cannot be read`);
  const live = liveOf(state, child);
  const stated = statementOf(statement, live === undefined ? null : legAt(state.order.legs, live.order.leg));
  if (isRejected(stated)) return stated;
  const settlement = { orderId, child, ...stated, reason: reason ?? '', by: operatorName(by) };
  const refusal = settlementRefusal(state, settlement);
  if (refusal !== null) return new Rejected(refusal);
  const texts = textsOf(settlement, live!, state);
  audit(site, 'child.settle', { account: state.order.account, ...texts });
  identity.settlements.ask(settlement);
  return { ...texts, isServiceRunning };
}

function liveOf(state: ParentState, child: ChildNumber): LiveChild | undefined {
  return liveChildren(state).find(({ order }) => order.child === child);
}

/** null: no order id with a child number. */
function nameOf(name: string): { readonly orderId: OrderId; readonly child: ChildNumber } | null {
  const [, order, number] = /^(\d{1,16})-(\d{1,10})$/.exec(name) ?? [];
  const [orderId, child] = [Number(order), Number(number)];
  if (!Number.isSafeInteger(orderId) || !Number.isSafeInteger(child)) return null;
  return { orderId: orderId as OrderId, child: child as ChildNumber };
}

/** `grid`: that of the child; null: there is no such child, and another check refuses it. */
function statementOf(
  { filled = '0', price }: Pick<ChildStatement, 'filled' | 'price'>,
  grid: Grid | null,
): OrRejection<Pick<ChildSettlement, 'filled' | 'price'>> {
  if (grid === null) return { filled: 0 as Lots, price: null };
  const lots = stepsOfUnits(parseSteps(filled, grid.quantityPrecision), grid.quantityStep);
  if (typeof lots !== 'number') {
    return reject('INVALID_QUANTITY', stepText('--filled', filled, lots, `lot ${formatLots(1 as Lots, grid)}`));
  }
  if (price === undefined) return { filled: lots as Lots, price: null };
  const ticks = stepsOfUnits(parseSteps(price, grid.pricePrecision), grid.priceStep);
  if (typeof ticks === 'number' && ticks > 0) return { filled: lots as Lots, price: ticks as Ticks };
  const failure = typeof ticks === 'number' ? 'not above 0' : ticks;
  return reject('INVALID_LIMIT_PRICE', stepText('--price', price, failure, `tick ${formatTicks(1 as Ticks, grid)}`));
}

function stepText(option: string, text: string, failure: StepFailure | 'not above 0', step: string): string {
  return `${option} ${JSON.stringify(text)} is ${failure === 'off the grid' ? `not a multiple of the ${step}` : failure}`;
}

function textsOf({ orderId, child, filled, price }: ChildSettlement, { order }: LiveChild, state: ParentState) {
  const grid = legAt(state.order.legs, order.leg);
  return {
    child_order_id: childClientId(orderId, child),
    quantity: formatLots(order.quantity, grid),
    filled_quantity: formatLots(filled, grid),
    ...(price === null ? {} : { price: formatTicks(price, grid) }),
  };
}
