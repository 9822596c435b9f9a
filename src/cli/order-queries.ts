import type { Command } from 'commander';
import type { Extras, IdsQuery, OrderDetails, SluiceClient } from '../client/index.js';
import { instant, positiveInteger, several } from './argument.js';
import { CommandFailure, UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { ORDER_COLUMNS, TRADE_COLUMNS } from './order-table.js';

interface JsonOption {
  readonly json?: boolean;
}

interface ExtrasOptions extends JsonOption {
  readonly trades?: boolean;
  readonly fees?: boolean;
}

interface NamesOption {
  readonly clientOrderId?: readonly string[];
}

interface FindOptions extends ExtrasOptions {
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

export function addQueryCommands(order: Command, context: CommandContext): void {
  addOpen(order, context);
  addGet(order, context);
  addFind(order, context);
  addTrades(order, context);
}

function addOpen(order: Command, context: CommandContext): void {
  withExtras(order.command('open').description('orders that are not over'))
    .addHelpText('after', examples('sluice order open', 'sluice order open --fees --json'))
    .action((options: ExtrasOptions) =>
      withClient(context, async (client) => showOrders(context, await client.open(extras(options)), options.json)),
    );
}

function addGet(order: Command, context: CommandContext): void {
  withExtras(withNames(order.command('get').description('orders by their ids')))
    .addHelpText(
      'after',
      examples('sluice order get 4711 --trades --fees', 'sluice order get --client-order-id mine-1 --json'),
    )
    .action((ids: readonly number[] = [], options: ExtrasOptions & NamesOption = {}) =>
      withClient(context, async (client) =>
        showOrders(context, await named(client, ids, options, extras(options)), options.json),
      ),
    );
}

function addFind(order: Command, context: CommandContext): void {
  withExtras(order.command('find').description('orders of the last three days, the newest first'))
    .option('--from <time>', 'created at or after: ISO 8601 or epoch milliseconds', instant)
    .option('--to <time>', 'created at or before', instant)
    .option('--limit <count>', '1 to 1000', positiveInteger)
    .addHelpText(
      'after',
      examples('sluice order find --limit 10', 'sluice order find --from 2026-11-20T08:00:00Z --json'),
    )
    .action((options: FindOptions) =>
      withClient(context, async (client) => {
        const window = { startMs: options.from, endMs: options.to, limit: options.limit };
        showOrders(context, await client.find({ ...window, ...extras(options) }), options.json);
      }),
    );
}

function addTrades(order: Command, context: CommandContext): void {
  withNames(order.command('trades').description('fills of orders'))
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice order trades 4711', 'sluice order trades 4711 4712 --json'))
    .action((ids: readonly number[] = [], options: JsonOption & NamesOption = {}) =>
      withClient(context, async (client) => {
        const orders = await named(client, ids, options, { includeTrades: true });
        const rows = orders.flatMap((details) => details.trades ?? []);
        context.output.show({ columns: TRADE_COLUMNS, rows, empty: 'No fills yet.', json: rows }, options.json);
      }),
    );
}

/** Fills and fees do not fit into the table of orders; people read them below it. */
export function showOrders(
  { output }: CommandContext,
  orders: readonly OrderDetails[],
  json: boolean | undefined,
): void {
  output.show({ columns: ORDER_COLUMNS, rows: orders, empty: 'No orders.', json: orders }, json);
  if (json === true) return;
  for (const { order_id, trades: fills, fees_infos: fees } of orders) {
    if (fees !== undefined) output.line(`\nfees of ${order_id}: ${JSON.stringify(fees)}`);
    if (fills === undefined) continue;
    output.line(`\nfills of ${order_id}:`);
    output.show({ columns: TRADE_COLUMNS, rows: fills, empty: 'none', json: fills }, false);
  }
}

/** Throws CommandFailure when the account has none of them. */
async function named(
  client: SluiceClient,
  orderIds: readonly number[],
  { clientOrderId: clientOrderIds = [] }: NamesOption,
  wanted: Extras,
): Promise<readonly OrderDetails[]> {
  const ids: IdsQuery = { orderIds, clientOrderIds };
  const names = [...orderIds, ...clientOrderIds];
  if (names.length === 0) throw new UsageError('name orders by their ids or --client-order-id');
  const orders = await client.byId({ ...ids, ...wanted });
  if (orders.length === 0) throw new CommandFailure(`there is no order ${names.join(', ')}`);
  return orders;
}

function withNames(command: Command): Command {
  return command
    .argument('[order_id...]', 'the orders', several(positiveInteger))
    .option('--client-order-id <id...>', 'name orders by your own ids');
}

function withExtras(command: Command): Command {
  return command
    .option('--trades', 'with their fills')
    .option('--fees', 'with their fees')
    .option('--json', 'print JSON');
}

function extras(options: ExtrasOptions): Extras {
  return { includeTrades: options.trades, includeFees: options.fees };
}
