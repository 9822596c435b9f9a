import type { OrderId } from '../domain/ids.js';
import { leadingOf, type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import { legAt } from '../domain/pair.js';
import { leadingLeg } from '../domain/order-legs.js';
import { formatLots } from '../domain/quantity.js';
import { type OrRejection, reject } from '../domain/rejection.js';
import { readQuarantined } from '../journal/state/stored-orders.js';
import { type AdminSite, audit } from './admin-site.js';

/** A child that may still trade. */
interface ShownChild {
  /** Client order id at the exchange. */
  readonly clientId: string;
  readonly exchange: string;
  readonly exchangeOrderId: string | null;
  readonly state: LiveChild['state'];
  readonly side: string;
  readonly quantity: string;
  readonly filled: string;
}

/** A quarantined order. */
export interface ShownQuarantine {
  readonly orderId: number;
  /** This and other members are null when the stored order cannot be read. */
  readonly account: string | null;
  readonly status: string | null;
  readonly sinceMs: number | null;
  readonly reason: string;
  readonly detail: string;
  readonly quantity: string | null;
  readonly filled: string | null;
  /** The operator has requested the release. */
  readonly isReleased: boolean;
  readonly children: readonly ShownChild[];
}

/** A requested release. */
export interface RequestedRelease {
  readonly order: ShownQuarantine;
  /** True: a running service carries out the release within about a second. False: the next start does. */
  readonly isServiceRunning: boolean;
}

/** Lists the quarantined orders by ascending id. */
export async function listQuarantined({ dataDir, identity }: AdminSite): Promise<readonly ShownQuarantine[]> {
  const found = await readQuarantined(dataDir);
  const pending = new Set(identity.releases.pending());
  return found.map(({ orderId, state }) => shown(orderId, state, pending.has(orderId)));
}

/**
 * Requests the release of a quarantined order. Durable on resolve. A running service carries it out at once, a stopped
 * service at its next start. A second request has no effect.
 */
export async function releaseQuarantined(
  site: AdminSite,
  { order }: { readonly order: string },
): Promise<OrRejection<RequestedRelease>> {
  const { dataDir, identity, isServiceRunning } = site;
  const orderId = Number(order);
  if (!/^\d{1,16}$/.test(order) || !Number.isSafeInteger(orderId)) {
    return reject('INVALID_PARAM', `order ${JSON.stringify(order)} is not an order id`);
  }
  const found = (await readQuarantined(dataDir)).find((one) => one.orderId === orderId);
  if (found === undefined) return reject('INVALID_ORDER', `order_id ${orderId} is not an open quarantined order`);
  if (found.state === null) return reject('SYSTEM_ERROR', `the stored state of order_id ${orderId} cannot be read`);
  audit(site, 'quarantine.release', { account: found.state.order.account, order_id: orderId });
  identity.releases.ask(found.orderId, Date.now());
  return { order: shown(found.orderId, found.state, true), isServiceRunning };
}

function shown(orderId: OrderId, state: ParentState | null, isAsked: boolean): ShownQuarantine {
  if (state === null) {
    const nothing = { account: null, status: null, sinceMs: null, quantity: null, filled: null };
    return {
      orderId,
      ...nothing,
      reason: 'UNREADABLE',
      detail: 'the stored state cannot be read',
      isReleased: false,
      children: [],
    };
  }
  const { order, status, quarantine } = state;
  const leg = leadingLeg(order);
  return {
    orderId,
    account: order.account,
    status,
    sinceMs: quarantine?.sinceMs ?? null,
    reason: quarantine?.reason ?? '',
    detail: quarantine?.detail ?? '',
    quantity: formatLots(leg.quantity, leg),
    filled: formatLots(leadingOf(state).progress.filled, leg),
    isReleased: isAsked || (quarantine?.isReleased ?? false),
    children: liveChildren(state).map((child) => shownChild(state, child)),
  };
}

function shownChild({ order }: ParentState, child: LiveChild): ShownChild {
  const traded = legAt(order.legs, child.order.leg);
  return {
    clientId: `${order.orderId}-${child.order.child}`,
    exchange: traded.venue,
    exchangeOrderId: child.state === 'IN_FLIGHT' ? null : child.venueOrderId,
    state: child.state,
    side: child.order.side,
    quantity: formatLots(child.order.quantity, traded),
    filled: formatLots(child.progress.filled, traded),
  };
}
