import type { Identity } from '../journal/identity/index.js';
import { ProcessClaim, readQuarantined } from '../journal/index.js';
import type { OrderId } from '../model/ids.js';
import type { LiveChild, ParentState } from '../model/order.js';
import { tradedBy } from '../model/pair.js';
import { formatLots } from '../model/quantity.js';
import { reject, type OrRejection } from '../model/rejection.js';
import { withExisting, type DataDirectory } from './data-directory.js';

/** What is known of a child that may still trade. */
export interface ShownChild {
  /** Client id at the exchange. */
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
  /** null, as the rest: what is stored of the order cannot be read. */
  readonly account: string | null;
  readonly status: string | null;
  readonly sinceMs: number | null;
  readonly reason: string;
  readonly detail: string;
  readonly quantity: string | null;
  readonly filled: string | null;
  /** An operator asked for the release. */
  readonly isReleased: boolean;
  readonly children: readonly ShownChild[];
}

/** A release that was asked for. */
export interface AskedRelease {
  readonly order: ShownQuarantine;
  /** A service runs on the directory and carries it out within about a second; else the next start does. */
  readonly isServiceRunning: boolean;
}

/** All quarantined orders, by ascending id. */
export function listQuarantined(data: DataDirectory): Promise<OrRejection<readonly ShownQuarantine[]>> {
  return withExisting(data, (identity) => storedQuarantined(data.path, identity));
}

/** The same, with the identity store open already. */
export async function storedQuarantined(
  path: string,
  { releases }: Pick<Identity, 'releases'>,
): Promise<readonly ShownQuarantine[]> {
  const pending = new Set(releases.pending());
  const found = await readQuarantined(path);
  return found.map(({ orderId, state }) => shown(orderId, state, pending.has(orderId)));
}

/**
 * Releases a quarantined order. On disk when it resolves. A running service carries it out within about a second, a
 * stopped one at its next start. A second release changes nothing.
 */
export function releaseQuarantined(data: DataDirectory, order: string): Promise<OrRejection<AskedRelease>> {
  return withExisting(data, async ({ releases }) => {
    const orderId = Number(order);
    if (!/^\d{1,16}$/.test(order) || !Number.isSafeInteger(orderId)) {
      return reject('INVALID_PARAM', `order ${JSON.stringify(order)} is not an order id`);
    }
    const found = (await readQuarantined(data.path)).find((one) => one.orderId === orderId);
    if (found === undefined) return reject('INVALID_ORDER', `order_id ${orderId} is not an open quarantined order`);
    if (found.state === null) return reject('SYSTEM_ERROR', `what is stored of order_id ${orderId} cannot be read`);
    const isServiceRunning = ProcessClaim.isHeld(data.path);
    releases.ask(found.orderId, Date.now());
    return { order: shown(found.orderId, found.state, true), isServiceRunning };
  });
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
  const { order, status, progress, quarantine, children } = state;
  return {
    orderId,
    account: order.account,
    status,
    sinceMs: quarantine?.sinceMs ?? null,
    reason: quarantine?.reason ?? '',
    detail: quarantine?.detail ?? '',
    quantity: formatLots(order.quantity, order),
    filled: formatLots(progress.filled, order),
    isReleased: isAsked || (quarantine?.isReleased ?? false),
    children: children.map((child) => shownChild(state, child)),
  };
}

function shownChild({ order }: ParentState, child: LiveChild): ShownChild {
  const traded = tradedBy(order, child.order.child);
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
