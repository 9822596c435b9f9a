import type { Command } from 'commander';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory, granted } from '../context.js';
import type { Column } from '../output.js';
import { operate } from '../../admin/admin-client.js';
import type { RequestedRelease, ShownQuarantine } from '../../admin/quarantine-operations.js';

interface Options {
  readonly reason?: string;
  readonly json?: boolean;
}

const HELP = `${examples('sluice quarantine list', 'sluice quarantine release 65537')}

The service quarantines an order that breaks an invariant or that has a contradictory exchange report. The order places
nothing more; its fills are still recorded. A release queries the exchange for each child, cancels resting children and
ends the order CANCELLED. SLUICE_DATA_DIR is the data directory (./data). A running service carries out a release within
about a second, a stopped service at its next start.`;

/**
 * Adds the commands for quarantined orders. They work on the data directory, because no API key may release an order.
 */
export function addQuarantineCommands(program: Command, context: CommandContext): void {
  const quarantine = program
    .command('quarantine')
    .description('orders that broke an invariant and place nothing')
    .addHelpText('after', HELP);
  quarantine
    .command('list')
    .description('show quarantined orders with their reasons and children')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ json }: Options) =>
      print(context, granted(await operate(dataDirectory(context), 'quarantine.list', {})), json),
    );
  withReason(quarantine.command('release'))
    .description('cancel the children of an order and end it')
    .argument('<order>', 'order id')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (order: string, { reason, json }: Options) => {
      const data = dataDirectory(context, reason);
      printRelease(context, granted(await operate(data, 'quarantine.release', { order })), json);
    });
}

function printRelease(context: CommandContext, asked: RequestedRelease, json: boolean | undefined): void {
  const { order, isServiceRunning } = asked;
  if (json === true) return context.output.json([{ ...jsonOf(order), service_running: isServiceRunning }]);
  print(context, [order], json);
  context.output.line(
    isServiceRunning
      ? 'The running service carries out the release within about a second.'
      : 'No service runs on this directory. The next start carries out the release; until then nothing is cancelled.',
  );
}

function print({ output }: CommandContext, rows: readonly ShownQuarantine[], json: boolean | undefined): void {
  output.show({ columns: COLUMNS, rows, empty: 'No order is quarantined.', json: rows.map(jsonOf) }, json);
}

function jsonOf(row: ShownQuarantine): object {
  return {
    order_id: row.orderId,
    account: row.account,
    status: row.status,
    since: sinceText(row),
    reason: row.reason,
    detail: row.detail,
    quantity: row.quantity,
    filled_quantity: row.filled,
    released: row.isReleased,
    children: row.children.map((child) => ({
      client_order_id: child.clientId,
      exchange: child.exchange,
      exchange_order_id: child.exchangeOrderId,
      state: child.state,
      side: child.side,
      quantity: child.quantity,
      filled_quantity: child.filled,
    })),
  };
}

function sinceText({ sinceMs }: ShownQuarantine): string | null {
  return sinceMs === null ? null : new Date(sinceMs).toISOString();
}

const COLUMNS: readonly Column<ShownQuarantine>[] = [
  { title: 'ORDER', text: ({ orderId }) => String(orderId) },
  { title: 'ACCOUNT', text: ({ account }) => account ?? '?' },
  { title: 'STATUS', text: ({ status, isReleased }) => `${status ?? '?'}${isReleased ? ' (released)' : ''}` },
  { title: 'SINCE', text: (row) => sinceText(row) ?? '?' },
  { title: 'FILLED', text: ({ filled, quantity }) => `${filled ?? '?'} of ${quantity ?? '?'}` },
  {
    title: 'CHILDREN',
    text: ({ children }) => children.map(({ clientId, state }) => `${clientId} ${state}`).join(', '),
  },
  { title: 'WHY', text: ({ reason, detail }) => `${reason}: ${detail}` },
];
