import type { Command } from 'commander';
import { type DataDirectory, operate } from '../../admin/admin-client.js';
import type { ChildStatement, RequestedSettlement } from '../../admin/child-operations.js';
import type { OrRejection } from '../../domain/rejection.js';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory, UsageError, granted } from '../context.js';

interface Options {
  readonly filled?: string;
  readonly price?: string;
  readonly absent?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

const HELP = `${examples(
  'sluice child settle 65537-3 --absent --reason "not in the order history of the exchange"',
  'sluice child settle 65537-3 --filled 0.02 --price 64000.5',
)}

A child order is UNKNOWN when its exchange does not say what became of it. First look at the page of the exchange. --filled is
the quantity that the child has filled in total, 0 with --absent; --price is the price of what the service has no fill of. The
child then ends. An order that is quarantined for its child is released: its other children are cancelled, and it ends. The
settled quantity has no fee. Fills that the exchange reports later are counted beyond the settled quantity only.
SLUICE_DATA_DIR is the data directory (./data). A running service carries out a settlement within about a second, a stopped
service at its next start.`;

/** Adds the commands for child orders. They work on the data directory, because no API key may settle a child. */
export function addChildCommands(program: Command, context: CommandContext): void {
  const child = program.command('child').description('child orders whose state the exchange does not say');
  child.addHelpText('after', HELP);
  withReason(child.command('settle'))
    .description('state how an unknown child order has ended')
    .argument('<child>', 'child order id: ORDER-NUMBER')
    .option('--filled <quantity>', 'quantity that it has filled in total, in base units')
    .option('--price <price>', 'price of what the service has no fill of')
    .option('--absent', 'it has filled nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (name: string, options: Options) =>
      print(context, granted(await settle(dataDirectory(context, options.reason), name, options)), options.json),
    );
}

/** Checks the flags, and requests the settlement of an unknown child. */
function settle(
  data: DataDirectory,
  name: string,
  { filled, price, absent }: Options,
): Promise<OrRejection<RequestedSettlement>> {
  if ((filled === undefined) === (absent !== true)) {
    throw new UsageError('give --filled with the filled quantity, or --absent');
  }
  if (absent === true && price !== undefined) throw new UsageError('--absent has no --price');
  const statement: ChildStatement = { name, filled, price };
  return operate(data, 'child.settle', statement);
}

function print({ output }: CommandContext, requested: RequestedSettlement, json: boolean | undefined): void {
  const { isServiceRunning, ...texts } = requested;
  if (json === true) return output.json({ ...texts, service_running: isServiceRunning });
  const price = texts.price === undefined ? '' : ` at ${texts.price}`;
  output.line(`Child ${texts.child_order_id}: ${texts.filled_quantity} of ${texts.quantity} filled${price}.`);
  output.line(
    isServiceRunning
      ? 'The running service carries out the settlement within about a second: see sluice explain.'
      : 'No service runs on this directory. The next start carries out the settlement.',
  );
}
