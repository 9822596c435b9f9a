import { codeText, number, type Column } from './output.js';
import type { OrderDetails, OrderSummary, TradeDetails } from '../client/index.js';
import { type CommandContext, CommandFailure } from './context.js';

type LegMember = 'side' | 'symbol' | 'exchange';

/** Values of a member: one for each leg of a multi-leg order, otherwise one. */
export function ofLegs(order: OrderDetails, member: LegMember): readonly string[] {
  return (order.legs ?? [order]).map((leg) => leg[member] ?? '');
}

/**
 * The exchange of an order or a leg, with the mode of a real one: a live order is not to be taken for a simulated one.
 */
export function placeText({ exchange, live_mode: mode }: Pick<OrderDetails, 'exchange' | 'live_mode'>): string {
  return [exchange ?? '', ...(mode === undefined ? [] : [mode])].join(':');
}

export const ORDER_COLUMNS: readonly Column<OrderDetails>[] = [
  { title: 'ORDER', text: (order) => String(order.order_id), align: 'RIGHT' },
  { title: 'STATUS', text: (order) => order.status },
  { title: 'STRATEGY', text: (order) => order.strategy ?? order.algo ?? '' },
  { title: 'SIDE', text: (order) => ofLegs(order, 'side').join('+') },
  { title: 'SYMBOL', text: (order) => ofLegs(order, 'symbol').join('+') },
  { title: 'EXCHANGE', text: (order) => (order.legs ?? [order]).map(placeText).join('+') },
  { title: 'FILLED', text: (order) => number(order.filled_quantity), align: 'RIGHT' },
  { title: 'LEAVES', text: (order) => number(order.leaves_quantity), align: 'RIGHT' },
  { title: 'AVERAGE', text: (order) => number(order.average_price), align: 'RIGHT' },
  { title: 'CLIENT ID', text: (order) => order.client_order_id ?? '' },
  { title: 'CAUSE', text: (order) => endText(order) },
];

/** Who cancelled an order, in one part of a line. */
export function cancelledBy({ by, api_key: apiKey }: NonNullable<OrderDetails['cause']>): string {
  return apiKey === undefined ? `by ${by}` : `by ${by}, API key ${apiKey}`;
}

/** Why an order ended or is ending: who cancelled it, the code and the message; '' when there is nothing to say. */
export function endText({
  cause,
  error_code: code,
  message,
}: Pick<OrderDetails, 'cause' | 'error_code' | 'message'>): string {
  return [cause === undefined ? undefined : cancelledBy(cause), code, message]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/** Number of a child within its order. Its client order id is ORDER-NUMBER. */
export function childNumberOf(clientOrderId: string | undefined): string {
  return clientOrderId?.replace(/^.*-/, '') ?? '';
}

const SUMMARY_COLUMNS: readonly Column<OrderSummary>[] = [
  { title: 'ORDER', text: (order) => String(order.order_id ?? ''), align: 'RIGHT' },
  { title: 'STATUS', text: (order) => order.status ?? '' },
  { title: 'CREATED', text: (order) => order.created_at },
  { title: 'CLIENT ID', text: (order) => order.client_order_id ?? '' },
  { title: 'CODE', text: (order) => order.error_code ?? '' },
  { title: 'MESSAGE', text: (order) => order.message ?? '' },
];

export const TRADE_COLUMNS: readonly Column<TradeDetails>[] = [
  { title: 'TIME', text: (trade) => (trade.execTime === undefined ? '' : new Date(trade.execTime).toISOString()) },
  { title: 'TRADE', text: (trade) => String(trade.trade_id ?? ''), align: 'RIGHT' },
  { title: 'SIDE', text: (trade) => trade.direction ?? '' },
  { title: 'QUANTITY', text: (trade) => number(trade.quantity), align: 'RIGHT' },
  { title: 'PRICE', text: (trade) => number(trade.price), align: 'RIGHT' },
  { title: 'ROLE', text: (trade) => trade.makerOrTaker ?? '' },
  { title: 'FEE', text: (trade) => number(trade.fee ?? 0), align: 'RIGHT' },
  { title: 'CURRENCY', text: (trade) => trade.feeCurrency ?? '' },
];

/** Answer to a command: one summary, or one for each order of a list. */
type Answered = OrderSummary | readonly OrderSummary[];

export function showSummaries(context: CommandContext, answer: Answered, json: boolean | undefined): void {
  context.output.show({ columns: SUMMARY_COLUMNS, rows: listOf(answer), empty: 'No orders.', json: answer }, json);
}

/** Throws CommandFailure when the service refused an order. The message has the reason of the first refusal. */
export function failIfRefused(answer: Answered): void {
  const summaries = listOf(answer);
  const refused = summaries.filter(({ status }) => status === 'REJECTED' || status === 'CANCEL_REJECTED');
  const [first] = refused;
  if (first === undefined) return;
  if (summaries.length === 1) throw new CommandFailure(refusal(first));
  throw new CommandFailure(`${refused.length} of ${summaries.length} were refused, the first: ${refusal(first)}`);
}

/** Error code, reason and message of a refusal in one line. */
export function refusal({ error_code: code, reason, message }: OrderSummary): string {
  return [code === undefined ? code : codeText(code, reason), message].filter((part) => part !== undefined).join(': ');
}

function listOf(answer: Answered): readonly OrderSummary[] {
  return 'status' in answer ? [answer] : answer;
}

/** Prints orders. Fills and fees follow below the table. */
export function showOrders(
  { output }: CommandContext,
  orders: readonly OrderDetails[],
  json: boolean | undefined,
): void {
  output.show({ columns: ORDER_COLUMNS, rows: orders, empty: 'No orders.', json: orders }, json);
  if (json === true) return;
  for (const order of orders) {
    const { order_id, trades: fills, fees_infos: fees } = order;
    const echo = echoOf(order);
    if (echo !== undefined) output.line(`\nparams of ${order_id}: ${echo}`);
    if (fees !== undefined) output.line(`\nfees of ${order_id}: ${JSON.stringify(fees)}`);
    if (fills === undefined) continue;
    output.line(`\nfills of ${order_id}:`);
    output.show({ columns: TRADE_COLUMNS, rows: fills, empty: 'none', json: fills }, false);
  }
}

/** Clip and params of an order and its legs as JSON; undefined when the answer has none. */
function echoOf(order: OrderDetails): string | undefined {
  const echoes = [order, ...(order.legs ?? [])].map(({ clip_size_type, clip_size_val, params }) =>
    JSON.stringify({ clip_size_type, clip_size_val, params }),
  );
  const given = echoes.filter((text) => text !== '{}');
  return given.length === 0 ? undefined : given.join(' ');
}
