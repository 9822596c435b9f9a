import type { Command } from 'commander';
import {
  listQuarantined,
  releaseQuarantined,
  type AskedRelease,
  type ShownQuarantine,
} from '../operator/quarantine.js';
import { dataDirectory } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { granted } from './granted.js';
import type { Column } from './table.js';

interface Options {
  readonly json?: boolean;
}

const HELP = `${examples('sluice quarantine list', 'sluice quarantine release 65537')}

An order that breaks an invariant, or of which the exchange reports something that cannot be, is quarantined: it places
nothing more, and its fills are still recorded. A release asks the exchange for each of its children, cancels what rests,
and ends the order CANCELLED. SLUICE_DATA_DIR names the data directory (./data). A running service carries a release out
within about a second, a stopped one at its next start.`;

/** The commands that show and end quarantines. They work on the data directory itself: no key can do this. */
export function addQuarantineCommands(program: Command, context: CommandContext): void {
  const quarantine = program
    .command('quarantine')
    .description('orders that broke an invariant and are set apart')
    .addHelpText('after', HELP);
  quarantine
    .command('list')
    .description('show why and since when, and what is known of the children')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ json }: Options) => print(context, granted(await listQuarantined(dataDirectory(context))), json));
  quarantine
    .command('release')
    .description('cancel what rests and end the order with its facts')
    .argument('<order>', 'order id')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (order: string, { json }: Options) =>
      printRelease(context, granted(await releaseQuarantined(dataDirectory(context), order)), json),
    );
}

function printRelease(context: CommandContext, asked: AskedRelease, json: boolean | undefined): void {
  const { order, isServiceRunning } = asked;
  if (json === true) return context.output.json([{ ...jsonOf(order), service_running: isServiceRunning }]);
  print(context, [order], json);
  context.output.line(
    isServiceRunning
      ? 'The running service carries the release out within about a second.'
      : 'No service runs on this directory: the next start carries the release out. Until then nothing is cancelled.',
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
