import type { Command } from 'commander';
import type { Extras, IdsQuery, OrderDetails, SluiceClient } from '../client/index.js';
import { examples, instant, positiveInteger, several } from './arguments.js';
import { type CommandContext, CommandFailure, UsageError, withClient } from './context.js';
import { addCancelCommand, addControlCommands } from './order-changes.js';
import { addCreateCommand } from './order-create.js';
import { showOrders, TRADE_COLUMNS } from './order-table.js';

const HELP = `${examples(
  'sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60',
  'sluice order open',
  'sluice order get 4711 --trades --fees --json',
  'sluice order cancel --all',
)}

SLUICE_URL, or SLUICE_HOST and SLUICE_PORT, are the address of the service (127.0.0.1, 8080). SLUICE_API_KEY and
SLUICE_API_SECRET are the key.`;

export function addOrderCommands(program: Command, context: CommandContext): void {
  const order = program.command('order').description('place, change and query orders').addHelpText('after', HELP);
  addCreateCommand(order, context);
  addCancelCommand(order, context);
  addControlCommands(order, context);
  addQueryCommands(order, context);
}

interface JsonOption {
  readonly json?: boolean;
}

interface ExtrasOptions extends JsonOption {
  readonly trades?: boolean;
  readonly fees?: boolean;
  readonly params?: boolean;
}

interface NamesOption {
  readonly clientOrderId?: readonly string[];
}

interface FindOptions extends ExtrasOptions {
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

function addQueryCommands(order: Command, context: CommandContext): void {
  addOpen(order, context);
  addGet(order, context);
  addFind(order, context);
  addTrades(order, context);
}

function addOpen(order: Command, context: CommandContext): void {
  withExtras(order.command('open').description('open orders'))
    .addHelpText('after', examples('sluice order open', 'sluice order open --fees --json'))
    .action((options: ExtrasOptions) =>
      withClient(context, async (client) => showOrders(context, await client.open(extras(options)), options.json)),
    );
}

function addGet(order: Command, context: CommandContext): void {
  withExtras(withNames(order.command('get').description('orders by id')))
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
  withExtras(order.command('find').description('orders of the last three days, newest first'))
    .option('--from <time>', 'earliest creation time: ISO 8601 or epoch milliseconds', instant)
    .option('--to <time>', 'latest creation time', instant)
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

/** Returns the orders with these ids. Throws CommandFailure when the account has none of them. */
async function named(
  client: SluiceClient,
  orderIds: readonly number[],
  { clientOrderId: clientOrderIds = [] }: NamesOption,
  wanted: Extras,
): Promise<readonly OrderDetails[]> {
  const ids: IdsQuery = { orderIds, clientOrderIds };
  const names = [...orderIds, ...clientOrderIds];
  if (names.length === 0) throw new UsageError('give order ids or --client-order-id');
  const orders = await client.byId({ ...ids, ...wanted });
  if (orders.length === 0) throw new CommandFailure(`there is no order ${names.join(', ')}`);
  return orders;
}

function withNames(command: Command): Command {
  return command
    .argument('[order_id...]', 'order ids', several(positiveInteger))
    .option('--client-order-id <id...>', 'select orders by client order id');
}

function withExtras(command: Command): Command {
  return command
    .option('--trades', 'include fills')
    .option('--fees', 'include fees')
    .option('--params', 'include clip and params')
    .option('--json', 'print JSON');
}

function extras(options: ExtrasOptions): Extras {
  return { includeTrades: options.trades, includeFees: options.fees, includeParams: options.params };
}
