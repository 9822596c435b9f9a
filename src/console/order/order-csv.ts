import { Big } from 'big.js';
import { type BoardView, isInView, matcherOf, type OrderFilter } from './order-filter.js';
import { type OrderRow, rowOfDetails } from './order-row.js';
import { createdWithin, type FindOrders, type OrderPage } from './order-search.js';

/*
 * The list of orders as CSV by RFC 4180: CRLF, a field with a comma, a quote or a line break in quotes. Decimals are
 * the exact ones of the answers. Times are UTC. A multi-leg order has the figures of its leading leg.
 */

/** A file for the operator. */
interface OrderExport {
  readonly csv: string;
  readonly count: number;
  /** False when the interval has more orders than SEARCH_ORDERS_MAX: the oldest are missing. */
  readonly isComplete: boolean;
}

interface ExportParts {
  readonly open: () => Promise<OrderPage>;
  readonly find: FindOrders;
}

/** The decimals of one order as the service wrote them. */
type Decimals = Readonly<Record<string, string | undefined>>;

interface ExportedOrder {
  readonly row: OrderRow;
  readonly decimals: Decimals;
}

const DECIMALS = ['quantity', 'filled_quantity', 'leaves_quantity', 'average_price', 'limit_price'] as const;
const COLUMNS: readonly (readonly [name: string, field: (order: ExportedOrder) => string])[] = [
  ['order_id', ({ row }) => String(row.orderId)],
  ['client_order_id', ({ row }) => textField(row.clientOrderId)],
  ['status', ({ row }) => row.status],
  ['strategy', ({ row }) => row.strategy],
  ['side', ({ row }) => row.side],
  ['symbol', ({ row }) => textField(row.symbol)],
  ['exchange', ({ row }) => row.parts.map(({ exchange }) => exchange).join(' + ')],
  ['asset_class', ({ row }) => row.parts.map(({ assetClass }) => assetClass).join(' + ')],
  ['live_mode', ({ row }) => row.liveMode ?? ''],
  ...DECIMALS.map((name) => [name, ({ decimals }: ExportedOrder) => decimalField(decimals[name])] as const),
  ['created_at', ({ row }) => timeField(row.createdAtMs)],
  ['start_time', ({ row }) => timeField(row.startAtMs)],
  ['end_time', ({ row }) => (row.endAtMs === null ? '' : timeField(row.endAtMs))],
  ['error_code', ({ row }) => row.errorCode ?? ''],
  ['message', ({ row }) => textField(row.message)],
  ['quarantine', ({ row }) => textField(row.quarantine)],
];

/** A string or a number of a JSON text. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** A spreadsheet takes a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Reads the orders of the list from the service, and writes them newest first. Rejects with SluiceError. */
export async function exportOrders(parts: ExportParts, view: BoardView, filter: OrderFilter): Promise<OrderExport> {
  const orders = new Map<number, ExportedOrder>();
  const take = (page: OrderPage): void => {
    for (const order of exportedOf(page)) orders.set(order.row.orderId, order);
  };
  let isComplete = true;
  if (view === 'ended' || view === 'attention') {
    const pages = createdWithin(parts.find, filter);
    let page = await pages.next();
    for (; page.done !== true; page = await pages.next()) take(page.value);
    isComplete = page.value;
  }
  if (view !== 'ended') take(await parts.open());
  const matches = matcherOf(filter);
  const listed = [...orders.values()].filter(({ row }) => isInView(view, row) && matches(row));
  listed.sort((one, other) => other.row.orderId - one.row.orderId);
  return { csv: csvOf(listed), count: listed.length, isComplete };
}

/** Such as sluice-orders-ended-20270115T080000Z.csv; the time is UTC. */
export function exportName(view: BoardView, atMs: number): string {
  return `sluice-orders-${view}-${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.csv`;
}

/** The content of a JSON text with each number as the text of its digits: a double has 17 of them at most. */
export function withExactNumbers(text: string): unknown {
  return JSON.parse(text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)));
}

function exportedOf({ orders, text }: OrderPage): readonly ExportedOrder[] {
  const exact = (withExactNumbers(text) as { readonly orders: readonly Decimals[] }).orders;
  return orders.flatMap((details, index) => {
    const row = rowOfDetails(details);
    return row === null ? [] : [{ row, decimals: exact[index] ?? {} }];
  });
}

function csvOf(orders: readonly ExportedOrder[]): string {
  const lines = [COLUMNS.map(([name]) => name), ...orders.map((order) => COLUMNS.map(([, field]) => field(order)))];
  return lines.map((fields) => `${fields.map(quoted).join(',')}\r\n`).join('');
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** An apostrophe keeps a spreadsheet from calculating the text. */
function textField(text: string | null): string {
  if (text === null) return '';
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Without an exponent and without grouping. */
function decimalField(decimal: string | undefined): string {
  return decimal === undefined ? '' : new Big(decimal).toFixed();
}

function timeField(atMs: number): string {
  return new Date(atMs).toISOString();
}
