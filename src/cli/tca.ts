import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { CostGroup, OrderCost, WindowCost, WindowCostQuery } from '../client/index.js';
import { instant, positiveInteger } from './argument.js';
import { withClient } from './context.js';
import type { CommandContext } from './context.js';
import { bpsText, legRows, type CostRow } from './cost-rows.js';
import { examples } from './examples.js';
import type { Column } from './table.js';

type Dimension = NonNullable<WindowCostQuery['by']>[number];

interface TcaOptions {
  readonly clientOrderId?: string;
  readonly from?: number;
  readonly to?: number;
  readonly by?: readonly Dimension[];
  readonly exchange?: string;
  readonly symbol?: string;
  readonly strategy?: string;
  readonly json?: boolean;
}

const DIMENSIONS: readonly Dimension[] = ['strategy', 'symbol', 'exchange', 'side'];

export function addTcaCommand(program: Command, context: CommandContext): void {
  program
    .command('tca')
    .description('what an order cost, or with no order what those of a window cost together')
    .argument('[order_id]', 'the order', positiveInteger)
    .option('--client-order-id <id>', 'name it by your own id')
    .option('--from <time>', 'orders created since then: ISO 8601 or epoch milliseconds (a day ago)', instant)
    .option('--to <time>', 'and until then (now)', instant)
    .option('--by <names>', `what groups are told apart by, joined by commas: ${DIMENSIONS.join(', ')}`, dimensions)
    .option('--exchange <name>', 'only there')
    .option('--symbol <symbol>', 'only of this symbol')
    .option('--strategy <name>', 'only by this strategy')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('sluice tca 4711', 'sluice tca --by strategy,symbol', 'sluice tca --from 2026-11-20T00:00:00Z --json'),
    )
    .action((orderId: number | undefined, { json, clientOrderId, ...window }: TcaOptions = {}) =>
      withClient(context, async (client) => {
        if (orderId !== undefined || clientOrderId !== undefined) {
          showOrder(context, await client.orderCost({ orderId, clientOrderId }), json);
          return;
        }
        showWindow(context, await client.windowCost(window), json);
      }),
    );
}

function dimensions(text: string): Dimension[] {
  return text.split(',').map((name) => {
    const found = DIMENSIONS.find((dimension) => dimension === name.trim().toLowerCase());
    if (found === undefined) throw new InvalidArgumentError(`allowed are ${DIMENSIONS.join(', ')}`);
    return found;
  });
}

/** A line a group. */
function showWindow({ output }: CommandContext, report: WindowCost, json: boolean | undefined): void {
  const { groups: rows, orders, next_to: nextTo } = report;
  const isTable = json !== true && rows.length > 0;
  if (isTable) {
    const [from, to] = [report.from, report.to].map((atMs) => new Date(atMs).toISOString());
    output.line(`Orders created from ${from} to ${to}: ${orders}; basis points, positive is cost`);
    output.line('');
  }
  output.show({ columns: GROUP_COLUMNS, rows, empty: 'No orders traded in it.', json: report }, json);
  if (isTable && nextTo !== undefined) output.line(`The latest ${orders} orders; the rest: --to ${nextTo}`);
}

/** A table a leg; figures that are not known are left empty. */
function showOrder({ output }: CommandContext, report: OrderCost, json: boolean | undefined): void {
  if (json === true) return output.json(report);
  const state = report.is_final ? 'final' : `as of ${new Date(report.as_of).toISOString()}`;
  output.line(`Order ${report.order_id}, ${report.status}, ${state}; basis points, positive is cost`);
  for (const leg of report.legs) {
    output.line('');
    output.show({ columns: LEG_COLUMNS, rows: legRows(leg), empty: '', json: leg }, false);
  }
}

const LEG_COLUMNS: readonly Column<CostRow>[] = [
  { title: 'FIGURE', text: ({ name }) => name },
  { title: 'VALUE', text: ({ value }) => value, align: 'RIGHT' },
  { title: '', text: ({ unit }) => unit },
];

const GROUP_COLUMNS: readonly Column<CostGroup>[] = [
  { title: 'GROUP', text: (group) => nameOf(group) },
  { title: 'LEGS', text: ({ legs }) => String(legs), align: 'RIGHT' },
  { title: 'FILLED', text: ({ filled_value: value, currency }) => `${value.toFixed(2)} ${currency}`, align: 'RIGHT' },
  { title: 'DONE', text: ({ completion }) => percent(completion), align: 'RIGHT' },
  { title: 'ARRIVAL', text: (group) => withError(group), align: 'RIGHT' },
  { title: 'VWAP', text: (group) => bps(group.vwap_slippage_bps), align: 'RIGHT' },
  { title: 'TWAP', text: (group) => bps(group.twap_slippage_bps), align: 'RIGHT' },
  { title: 'SHORTFALL', text: (group) => bps(group.implementation_shortfall_bps), align: 'RIGHT' },
  { title: 'FEES', text: ({ fees_bps: fees }) => bps(fees), align: 'RIGHT' },
  { title: 'MAKER', text: ({ maker_share: share }) => percent(share), align: 'RIGHT' },
  { title: 'OF VOLUME', text: ({ participation }) => percent(participation), align: 'RIGHT' },
];

function nameOf({ strategy, symbol, exchange, side }: CostGroup): string {
  return [strategy, symbol, exchange, side].filter((name) => name !== undefined).join(' ');
}

function withError({ arrival_slippage_bps: mean, arrival_slippage_stderr_bps: error }: CostGroup): string {
  return error === null ? bps(mean) : `${bps(mean)} ± ${bpsText(error)}`;
}

function bps(value: number | null): string {
  return value === null ? '' : bpsText(value);
}

function percent(value: number | null): string {
  return value === null ? '' : `${(value * 100).toFixed(1)} %`;
}
