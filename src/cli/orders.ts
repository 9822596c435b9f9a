import type { Command } from 'commander';
import type { OrderDetails, OrderRef, SluiceClient } from '../client/index.js';
import { CommandFailure, UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { addCreateCommand } from './order-create.js';
import { refusal, showSummary } from './order-summary.js';
import { instant, positiveInteger } from './argument.js';
import { ORDER_COLUMNS, TRADE_COLUMNS } from './order-table.js';

const EXAMPLES = `
Examples:
  $ sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60
  $ sluice order open
  $ sluice order get 4711 --trades --fees --json
  $ sluice order cancel --client-order-id mine-1
  $ sluice order cancel --all

SLUICE_URL names the service (http://127.0.0.1:8080), SLUICE_API_KEY and SLUICE_API_SECRET the key.`;

interface JsonOption {
  readonly json?: boolean;
}

interface ExtrasOptions extends JsonOption {
  readonly trades?: boolean;
  readonly fees?: boolean;
}

interface CancelOptions extends JsonOption {
  readonly clientOrderId?: string;
  readonly all?: boolean;
}

interface FindOptions extends ExtrasOptions {
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

export function addOrderCommands(program: Command, context: CommandContext): void {
  const order = program.command('order').description('place, cancel and look at orders').addHelpText('after', EXAMPLES);
  addCreateCommand(order, context);
  order
    .command('cancel')
    .description('cancel one order, or all that are open')
    .argument('[order_id]', 'the order', positiveInteger)
    .option('--client-order-id <id>', 'name the order by your own id')
    .option('--all', 'every open order of the account')
    .option('--json', 'print JSON')
    .action((id: number | undefined, options: CancelOptions) =>
      withClient(context, (client) => cancel(context, client, id, options)),
    );
  withExtras(order.command('open').description('orders that are not over')).action((options: ExtrasOptions) =>
    withClient(context, async (client) => showOrders(context, await client.open(extras(options)), options)),
  );
  withExtras(order.command('get').description('orders by their ids'))
    .argument('<order_id...>', 'one or more', (text: string, before?: number[]) => [
      ...(before ?? []),
      positiveInteger(text),
    ])
    .action((orderIds: number[], options: ExtrasOptions) =>
      withClient(context, async (client) => {
        const orders = await client.byId({ orderIds, ...extras(options) });
        if (orders.length === 0) throw new CommandFailure(`there is no order ${orderIds.join(', ')}`);
        showOrders(context, orders, options);
      }),
    );
  withExtras(order.command('find').description('orders of the last three days, the newest first'))
    .option('--from <time>', 'created at or after: ISO 8601 or epoch milliseconds', instant)
    .option('--to <time>', 'created at or before', instant)
    .option('--limit <count>', '1 to 1000', positiveInteger)
    .action((options: FindOptions) =>
      withClient(context, async (client) => {
        const window = { startMs: options.from, endMs: options.to, limit: options.limit };
        showOrders(context, await client.find({ ...window, ...extras(options) }), options);
      }),
    );
  order
    .command('trades')
    .description('fills of an order')
    .argument('<order_id>', 'the order', positiveInteger)
    .option('--json', 'print JSON')
    .action((id: number, options: JsonOption) => withClient(context, (client) => trades(context, client, id, options)));
}

function withExtras(command: Command): Command {
  return command
    .option('--trades', 'with their fills')
    .option('--fees', 'with their fees')
    .option('--json', 'print JSON');
}

function extras(options: ExtrasOptions): { includeTrades?: boolean | undefined; includeFees?: boolean | undefined } {
  return { includeTrades: options.trades, includeFees: options.fees };
}

async function cancel(
  context: CommandContext,
  client: SluiceClient,
  id: number | undefined,
  options: CancelOptions,
): Promise<void> {
  const { clientOrderId, all, json } = options;
  if (all === true) {
    if (id !== undefined || clientOrderId !== undefined) throw new UsageError('--all goes without an order id');
    return showOrders(context, await client.cancelAll(), options);
  }
  if (id === undefined && clientOrderId === undefined) {
    throw new UsageError('name the order by its id or --client-order-id, or say --all');
  }
  const ref: OrderRef = { order_id: id, client_order_id: clientOrderId };
  const summary = await client.cancel(ref);
  showSummary(context, summary, json);
  if (summary.status === 'CANCEL_REJECTED') throw new CommandFailure(refusal(summary));
}

async function trades(context: CommandContext, client: SluiceClient, id: number, options: JsonOption): Promise<void> {
  const [order] = await client.byId({ orderIds: [id] });
  if (order === undefined) throw new CommandFailure(`there is no order ${id}`);
  const rows = await client.userTrades({ exchange: order.exchange, orderIds: [id] });
  context.output.show({ columns: TRADE_COLUMNS, rows, empty: 'No fills yet.', json: rows }, options.json);
}

/** Fills and fees do not fit into the table of orders; people read them below it. */
function showOrders(context: CommandContext, orders: readonly OrderDetails[], { json }: JsonOption): void {
  const { output } = context;
  output.show({ columns: ORDER_COLUMNS, rows: orders, empty: 'No orders.', json: orders }, json);
  if (json === true) return;
  for (const { order_id, trades: fills, fees_infos: fees } of orders) {
    if (fees !== undefined) output.line(`\nfees of ${order_id}: ${JSON.stringify(fees)}`);
    if (fills === undefined) continue;
    output.line(`\nfills of ${order_id}:`);
    output.show({ columns: TRADE_COLUMNS, rows: fills, empty: 'none', json: fills }, false);
  }
}
