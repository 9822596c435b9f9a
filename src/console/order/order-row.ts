import { TERMINAL_STATUSES, type OrderDetails, type OrderFrame, type TimelineEntry } from '../../client/wire.js';
import { type LiveMode, strictest } from '../live-mode.js';
import { sum } from '../view/figures.js';

/** What an order trades at one exchange. */
export interface OrderPart {
  readonly side: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly assetClass: string;
}

/** One order as the page knows it. A multi-leg order has the figures of its leading leg. Times are service time. */
export interface OrderRow {
  readonly orderId: number;
  readonly clientOrderId: string | null;
  readonly status: string;
  readonly strategy: string;
  /** One, or the legs in the order of the request. */
  readonly parts: readonly OrderPart[];
  /** Of all parts. */
  readonly side: string;
  readonly symbol: string;
  /** Two when the legs trade at different exchanges. */
  readonly venues: readonly string[];
  /** The most dangerous mode of its exchanges. */
  readonly liveMode: LiveMode;
  readonly quantity: number;
  readonly filled: number;
  /** 0 before the first fill. */
  readonly averagePrice: number;
  /** The worst price that it accepts; null: any. */
  readonly limitPrice: number | null;
  readonly createdAtMs: number;
  readonly startAtMs: number;
  /** When it ended, or will end; null without an end time. */
  readonly endAtMs: number | null;
  readonly message: string | null;
  readonly errorCode: string | null;
  /** Why the order is quarantined; null when it is not. */
  readonly quarantine: string | null;
}

/** How an order began. Only its timeline has these facts. */
export interface OrderOrigin {
  /** True once its first entries were read. */
  readonly isRead: boolean;
  /** Mid price when it first could trade; null before that. */
  readonly arrivalPrice: number | null;
}

export interface KnownOrder {
  readonly row: OrderRow;
  readonly origin: OrderOrigin;
}

export const UNKNOWN_ORIGIN: OrderOrigin = { isRead: false, arrivalPrice: null };

/** The origin after further timeline entries. */
export function originAfter(origin: OrderOrigin, entries: readonly TimelineEntry[]): OrderOrigin {
  let { isRead, arrivalPrice } = origin;
  for (const entry of entries) {
    if (entry.event === 'ParentCreated') isRead = true;
    if (entry.arrival_price !== undefined) arrivalPrice = entry.arrival_price;
  }
  return { isRead, arrivalPrice };
}

/** A row from an answer; null when the answer names no order. */
export function rowOfDetails(details: OrderDetails): OrderRow | null {
  if (details.order_id === undefined) return null;
  const legs = details.legs ?? [];
  const parts = legs.length === 0 ? [partOf(details)] : legs.map(partOf);
  return {
    orderId: details.order_id,
    clientOrderId: details.client_order_id ?? null,
    status: details.status ?? '',
    strategy: details.strategy ?? details.algo ?? '',
    ...sharedOf(parts),
    liveMode: strictest([details.live_mode, ...legs.map((leg) => leg.live_mode)]),
    quantity: sum(details.filled_quantity, details.leaves_quantity),
    filled: details.filled_quantity,
    averagePrice: details.average_price,
    limitPrice: details.limit_price ?? null,
    createdAtMs: details.created_at,
    startAtMs: details.start_time ?? 0,
    endAtMs: details.end_time ?? null,
    message: details.message ?? null,
    errorCode: details.error_code ?? null,
    quarantine: quarantineText(details.quarantine),
  };
}

export function rowOfFrame({ order, order_status: current, quarantine }: OrderFrame): OrderRow {
  const legs = order.legs ?? [];
  const traded = legs.length === 0 ? [order] : legs;
  const parts = traded.map((part) => partOf({ ...part, exchange: part.exchange_name }));
  return {
    orderId: Number(order.order_id),
    clientOrderId: order.client_order_id ?? null,
    status: current.status,
    strategy: order.algo ?? order.strategy,
    ...sharedOf(parts),
    liveMode: strictest([order.live_mode, ...legs.map((leg) => leg.live_mode)]),
    quantity: order.quantity,
    filled: current.filled_quantity,
    averagePrice: current.average_price,
    limitPrice: order.limit_price ?? null,
    createdAtMs: order.created_at,
    startAtMs: order.start_time,
    endAtMs: TERMINAL_STATUSES.includes(current.status) ? current.created_at : (order.end_time ?? null),
    message: current.message ?? null,
    errorCode: current.error_code ?? null,
    quarantine: quarantineText(quarantine),
  };
}

/** True while the order is open and quarantined: it places nothing until it is cancelled or released. */
export function isQuarantined(row: OrderRow): boolean {
  return row.quarantine !== null && !isOver(row);
}

export function isOver({ status }: OrderRow): boolean {
  return TERMINAL_STATUSES.includes(status);
}

/** True when the order was refused, or ended with an error code. */
export function needsAttention({ status, errorCode }: OrderRow): boolean {
  return status === 'REJECTED' || errorCode !== null;
}

/** 0 to 1. */
export function progressOf({ filled, quantity }: OrderRow): number {
  return quantity > 0 ? Math.min(1, filled / quantity) : 0;
}

/**
 * Average against arrival in basis points, positive is cost; null before the first fill or without an arrival price.
 */
export function costBps(side: string, averagePrice: number, arrivalPrice: number | null): number | null {
  if (arrivalPrice === null || arrivalPrice <= 0 || averagePrice <= 0) return null;
  const paidMore = (averagePrice - arrivalPrice) / arrivalPrice;
  return (side === 'SELL' ? -paidMore : paidMore) * 10_000;
}

function quarantineText(part: OrderDetails['quarantine']): string | null {
  return part === undefined ? null : `${part.reason}: ${part.detail}`;
}

/** What an order does at its exchanges, as words. */
export function tradedText({ parts }: OrderRow): string {
  return parts.map(({ side, symbol, exchange }) => `${side} ${symbol} on ${exchange}`).join(' and ');
}

interface Traded {
  readonly side?: string;
  readonly symbol?: string;
  readonly exchange?: string;
  readonly asset_class?: string;
}

function partOf({ side = '', symbol = '', exchange = '', asset_class: assetClass = '' }: Traded): OrderPart {
  return { side, symbol, exchange, assetClass };
}

function sharedOf(parts: readonly OrderPart[]): Pick<OrderRow, 'parts' | 'side' | 'symbol' | 'venues'> {
  return {
    parts,
    side: parts.map(({ side }) => side).join(' + '),
    symbol: parts.map(({ symbol }) => symbol).join(' + '),
    venues: [...new Set(parts.map(({ exchange }) => exchange))],
  };
}
