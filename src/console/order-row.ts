import type { OrderFrame } from '../client/frames.js';
import { TERMINAL_STATUSES, type OrderDetails } from '../client/wire.js';

/** One order as the page knows it. A multi-leg order has the figures of its leading leg. */
export interface OrderRow {
  readonly orderId: number;
  readonly clientOrderId: string | null;
  readonly status: string;
  readonly strategy: string;
  readonly side: string;
  readonly symbol: string;
  /** More than one when its legs are at different ones. */
  readonly venues: readonly string[];
  readonly assetClass: string;
  readonly quantity: number;
  readonly filled: number;
  /** 0 before the first fill. */
  readonly averagePrice: number;
  /** Service time, as are all below. */
  readonly startAtMs: number;
  /** When it ended, or will; null: it has no end yet. */
  readonly endAtMs: number | null;
  readonly message: string | null;
  readonly errorCode: string | null;
  /** Why the order is quarantined; null: it is not. */
  readonly quarantine: string | null;
  /** Of the event that the latest frame told; 0: no frame has told of it. */
  readonly toldAtMs: number;
}

/** A row from an answer; null when the answer names no order. */
export function rowOfDetails(details: OrderDetails): OrderRow | null {
  if (details.order_id === undefined) return null;
  const legs = details.legs ?? [];
  return {
    orderId: details.order_id,
    clientOrderId: details.client_order_id ?? null,
    status: details.status ?? '',
    strategy: details.strategy ?? details.algo ?? '',
    side: details.side ?? legs.map(({ side }) => side).join(' + '),
    symbol: details.symbol ?? legs.map(({ symbol }) => symbol).join(' + '),
    venues: distinct(legs.length === 0 ? [details.exchange ?? ''] : legs.map(({ exchange }) => exchange)),
    assetClass: details.asset_class ?? '',
    quantity: details.filled_quantity + details.leaves_quantity,
    filled: details.filled_quantity,
    averagePrice: details.average_price,
    startAtMs: details.start_time ?? 0,
    endAtMs: details.end_time ?? null,
    message: details.message ?? null,
    errorCode: details.error_code ?? null,
    quarantine: quarantineText(details.quarantine),
    toldAtMs: 0,
  };
}

export function rowOfFrame({ order, order_status: standing, quarantine }: OrderFrame): OrderRow {
  const legs = order.legs ?? [];
  return {
    orderId: Number(order.order_id),
    clientOrderId: order.client_order_id ?? null,
    status: standing.status,
    strategy: order.algo ?? order.strategy,
    side: legs.length === 0 ? order.side : legs.map(({ side }) => side).join(' + '),
    symbol: legs.length === 0 ? order.symbol : legs.map(({ symbol }) => symbol).join(' + '),
    venues: distinct(legs.length === 0 ? [order.exchange_name] : legs.map((leg) => leg.exchange_name)),
    assetClass: order.asset_class,
    quantity: order.quantity,
    filled: standing.filled_quantity,
    averagePrice: standing.average_price,
    startAtMs: order.start_time,
    endAtMs: TERMINAL_STATUSES.includes(standing.status) ? standing.created_at : (order.end_time ?? null),
    message: standing.message ?? null,
    errorCode: standing.error_code ?? null,
    quarantine: quarantineText(quarantine),
    toldAtMs: standing.created_at,
  };
}

/** True while the order is open and quarantined: it places nothing until it is cancelled or released. */
export function isQuarantined(row: OrderRow): boolean {
  return row.quarantine !== null && !isOver(row);
}

export function isOver({ status }: OrderRow): boolean {
  return TERMINAL_STATUSES.includes(status);
}

/** Whether a person should look at it: it was refused, or ended by something else than its fills or its owner. */
export function needsAttention({ status, errorCode }: OrderRow): boolean {
  return status === 'REJECTED' || errorCode !== null;
}

/** 0 to 1. */
export function progressOf({ filled, quantity }: OrderRow): number {
  return quantity > 0 ? Math.min(1, filled / quantity) : 0;
}

function quarantineText(part: OrderDetails['quarantine']): string | null {
  return part === undefined ? null : `${part.reason}: ${part.detail}`;
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
