import type { ExactEvent, ExactOrder, ExactReader, ExactTrade } from '../exact.js';

/** A child as the timeline of its parent shows it. */
export interface ShownChild {
  readonly status: string;
  /** True: the service said once that the exchange never got it. */
  readonly wasAbsent: boolean;
}

/** A parent order as REST shows it. */
export interface ShownParent {
  readonly orderId: string;
  readonly status: string;
  readonly endAtMs: number | null;
  /** Reason of its end, or what it waits for. */
  readonly message: string | null;
  readonly quarantine: string | null;
  /** Filled quantity by market, such as `SPOT BTCUSDT`. */
  readonly filledByMarket: ReadonlyMap<string, string>;
  /** Children by name, such as `65537-1`; null: the timeline was not read. */
  readonly children: ReadonlyMap<string, ShownChild> | null;
  /** Its statuses in sequence, each as often as it had an event; null: the timeline was not read. */
  readonly statuses: readonly string[] | null;
}

/** A fill as REST shows it. */
export interface ShownTrade {
  readonly exchangeOrderId: string;
  readonly tradeId: string;
  /** True: the exchange's trade ids are text, and the service shows a number of its own. */
  readonly isTextId: boolean;
  readonly side: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly feeAsset: string;
  readonly isMaker: boolean;
}

export interface ShownBalance {
  readonly asset: string;
  readonly total: string;
  readonly free: string;
}

/** What the service shows of an account. */
export interface AccountView {
  readonly parents: readonly ShownParent[];
  readonly trades: readonly ShownTrade[];
  /** Time before the reads. */
  readonly nowMs: number;
}

const TERMINAL: ReadonlySet<string> = new Set(['REJECTED', 'FILLED', 'CANCELLED', 'EXPIRED']);

export function isEnded(status: string): boolean {
  return TERMINAL.has(status);
}

interface ViewOptions {
  readonly exchange: string;
  /** Parents whose timelines are read as well. */
  readonly withTimeline: (order: ExactOrder) => boolean;
  readonly hasTextIds: boolean;
}

/** Reads the orders of an account, their trades, and some timelines. */
export async function readAccount(
  reader: ExactReader,
  orderIds: readonly number[],
  { exchange, withTimeline, hasTextIds }: ViewOptions,
): Promise<AccountView> {
  const nowMs = Date.now();
  const orders = await reader.byId(orderIds);
  const parents: ShownParent[] = [];
  for (const order of orders) {
    const timeline = withTimeline(order) ? await reader.timeline(Number(order.order_id)) : null;
    parents.push(parentOf(order, timeline));
  }
  const trades = await reader.trades(exchange, orderIds);
  return { parents, trades: trades.map((trade) => tradeOf(trade, hasTextIds)), nowMs };
}

function parentOf(order: ExactOrder, timeline: readonly ExactEvent[] | null): ShownParent {
  const { order_id: orderId, status, end_time: end, message = null, quarantine, legs } = order;
  const filledByMarket = new Map<string, string>();
  for (const leg of legs ?? [order]) filledByMarket.set(marketName(leg.asset_class, leg.symbol), leg.filled_quantity);
  return {
    orderId,
    status,
    endAtMs: end === undefined ? null : Number(end),
    message: message ?? timeline?.findLast(({ reason }) => reason !== undefined)?.reason ?? null,
    quarantine: quarantine?.detail ?? null,
    filledByMarket,
    children: timeline === null ? null : childrenOf(timeline),
    statuses: timeline?.map((event) => event.status) ?? null,
  };
}

/** `SPOT BTCUSDT` for BTC/USDT, `FUTURE BTCUSDT` for BTC/USDT:USDT. */
export function marketName(category: string, symbol = ''): string {
  return `${category} ${symbol.split(':')[0]!.replace('/', '')}`;
}

function childrenOf(timeline: readonly ExactEvent[]): ReadonlyMap<string, ShownChild> {
  const children = new Map<string, ShownChild>();
  for (const { event, child_order_id: name, child_status: status } of timeline) {
    if (name === undefined || status === undefined) continue;
    const wasAbsent = event === 'ChildNeverPlaced' || children.get(name)?.wasAbsent === true;
    children.set(name, { status, wasAbsent });
  }
  return children;
}

function tradeOf(trade: ExactTrade, isTextId: boolean): ShownTrade {
  const {
    exchangeOrderId,
    trade_id: tradeId,
    direction: side,
    quantity,
    price,
    fee,
    feeCurrency,
    makerOrTaker,
  } = trade;
  return {
    exchangeOrderId,
    tradeId,
    isTextId,
    side,
    quantity,
    price,
    fee,
    feeAsset: feeCurrency,
    isMaker: makerOrTaker === 'MAKER',
  };
}
