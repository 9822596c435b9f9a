import type { Command } from 'commander';
import type { OrderRef, SluiceClient } from '../client/index.js';
import { positiveInteger, several } from './argument.js';
import { UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { showOrders } from './order-queries.js';
import { failIfRefused, showSummaries } from './order-summary.js';

interface CancelOptions {
  readonly clientOrderId?: readonly string[];
  readonly all?: boolean;
  readonly json?: boolean;
}

const HELP = `${examples(
  'sluice order cancel 4711',
  'sluice order cancel 4711 4712 --json',
  'sluice order cancel --client-order-id mine-1',
  'sluice order cancel --all',
)}

The end of an order follows the answer; see it with: sluice watch. Ends with status 1 when a cancel is refused.`;

export function addCancelCommand(order: Command, context: CommandContext): void {
  order
    .command('cancel')
    .description('cancel orders, or all that are open')
    .argument('[order_id...]', 'the orders', several(positiveInteger))
    .option('--client-order-id <id...>', 'name orders by your own ids')
    .option('--all', 'every open order of the account')
    .option('--json', 'print JSON: an object for one order, a list for several')
    .addHelpText('after', HELP)
    .action((ids: readonly number[] = [], options: CancelOptions = {}) =>
      withClient(context, (client) => cancel(context, client, ids, options)),
    );
}

async function cancel(
  context: CommandContext,
  client: SluiceClient,
  ids: readonly number[],
  { clientOrderId: names = [], all, json }: CancelOptions,
): Promise<void> {
  const refs: OrderRef[] = [
    ...ids.map((id) => ({ order_id: id })),
    ...names.map((name) => ({ client_order_id: name })),
  ];
  const [first] = refs;
  if (all === true) {
    if (first !== undefined) throw new UsageError('--all goes without orders');
    return showOrders(context, await client.cancelAll(), json);
  }
  if (first === undefined) throw new UsageError('name orders by their ids or --client-order-id, or say --all');
  const answer = await (refs.length === 1 ? client.cancel(first) : client.cancelMany(refs));
  showSummaries(context, answer, json);
  failIfRefused(answer);
}
