import { type Command, InvalidArgumentError } from 'commander';
import type { CostGroup, OrderCost, OrderCostLeg, WindowCost, WindowCostQuery } from '../client/index.js';
import { asciiLower } from '../domain/letter-case.js';
import { examples, instant, positiveInteger } from './arguments.js';
import { type CommandContext, withClient } from './context.js';
import { money, number, percent, type Column } from './output.js';
import { placeText } from './order-table.js';

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
    .description('execution cost of an order, or without an order id of the orders of a time window')
    .argument('[order_id]', 'order id', positiveInteger)
    .option('--client-order-id <id>', 'select the order by client order id')
    .option('--from <time>', 'earliest creation time: ISO 8601 or epoch milliseconds (one day ago)', instant)
    .option('--to <time>', 'latest creation time (now)', instant)
    .option('--by <names>', `grouping keys, separated by commas: ${DIMENSIONS.join(', ')}`, dimensions)
    .option('--exchange <name>', 'only this exchange')
    .option('--symbol <symbol>', 'only this symbol')
    .option('--strategy <name>', 'only this strategy')
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
    const found = DIMENSIONS.find((dimension) => dimension === asciiLower(name.trim()));
    if (found === undefined) throw new InvalidArgumentError(`allowed are ${DIMENSIONS.join(', ')}`);
    return found;
  });
}

/** Prints the cost of a time window, one line a group. */
function showWindow({ output }: CommandContext, report: WindowCost, json: boolean | undefined): void {
  const { groups: rows, orders, next_to: nextTo } = report;
  const isTable = json !== true && rows.length > 0;
  if (isTable) {
    const [from, to] = [report.from, report.to].map((atMs) => new Date(atMs).toISOString());
    output.line(`Orders created from ${from} to ${to}: ${orders}; basis points, positive is cost`);
    output.line('');
  }
  output.show({ columns: GROUP_COLUMNS, rows, empty: 'No orders traded in this window.', json: report }, json);
  if (isTable && nextTo !== undefined) output.line(`These are the latest ${orders} orders. Older ones: --to ${nextTo}`);
}

/** Prints the cost of an order, one table a leg. Unknown figures are empty. */
export function showOrder(
  { output }: Pick<CommandContext, 'output'>,
  report: OrderCost,
  json: boolean | undefined,
): void {
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
  { title: 'FILLED', text: ({ filled_value: value, currency }) => `${money(value)} ${currency}`, align: 'RIGHT' },
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

type Markout = NonNullable<OrderCostLeg['cost']>['markouts'][number];

/** One figure of a cost report. */
interface CostRow {
  readonly name: string;
  /** '' when unknown. */
  readonly value: string;
  readonly unit: string;
}

/** Formats basis points with two decimals, or four when the value is below 0.01. */
function bpsText(value: number): string {
  const text = value.toFixed(Math.abs(value) < 0.01 ? 4 : 2);
  return Number(text) === 0 ? '0.00' : text;
}

/** Figures of a leg, most important first. */
function legRows(leg: OrderCostLeg): CostRow[] {
  const { children } = leg;
  return [
    row('order', `${leg.side} ${number(leg.quantity)} ${leg.symbol}`, `${leg.strategy} on ${placeText(leg)}`),
    row('filled', number(leg.filled_quantity), percent(leg.completion)),
    ...overFillRows(leg),
    ...costRows(leg),
    row(
      'children',
      String(children.sent),
      `${children.filled} filled, ${children.rejected} rejected, ${children.cancelled} cancelled`,
    ),
    row(
      'fills',
      String(children.fills),
      children.fill_rate === null ? '' : `${percent(children.fill_rate)} of the sent quantity`,
    ),
    ...Object.entries(leg.fees_infos).map(([currency, fee]) => row('fees', number(fee), currency)),
  ];
}

/** What was filled above the quantity: almost never something. */
function overFillRows({ over_filled_quantity: excess }: OrderCostLeg): CostRow[] {
  return excess === undefined ? [] : [row('over-filled', number(excess), 'above the quantity of the order')];
}

function costRows({ cost }: OrderCostLeg): CostRow[] {
  if (cost === null) return [];
  const { market, implementation_shortfall: shortfall, schedule_deviation: schedule } = cost;
  return [
    figure('arrival price', cost.arrival_price),
    figure('average price', cost.average_price),
    bpsRow('arrival slippage', cost.arrival_slippage_bps),
    bpsRow('with fees', cost.all_in_slippage_bps),
    bpsRow('implementation shortfall', cost.implementation_shortfall_bps),
    figure('', shortfall.total, shortfall.currency),
    figure('market VWAP', market.vwap),
    bpsRow('VWAP slippage', cost.vwap_slippage_bps),
    bpsRow('with own fills', cost.vwap_with_own_slippage_bps),
    figure('TWAP', market.twap),
    bpsRow('TWAP slippage', cost.twap_slippage_bps),
    percentRow('off schedule, at most', schedule?.largest ?? null),
    percentRow('off schedule, RMS', schedule?.rms ?? null),
    percentRow('participation', cost.participation),
    bpsRow('effective spread', cost.effective_spread_bps),
    figure(
      'spread capture',
      cost.spread_capture === null ? null : Number(cost.spread_capture.toFixed(3)),
      'half spreads',
    ),
    ...cost.markouts.map(markoutRow),
    percentRow('maker share', cost.maker_share),
    bpsRow('fees', cost.fees_bps),
    row('on time', cost.on_time === null ? '' : cost.on_time ? 'yes' : 'no'),
  ];
}

function markoutRow({ horizon_ms: horizonMs, bps: moved, coverage }: Markout): CostRow {
  const known = bpsRow(`markout ${horizonMs / 1000} s`, moved);
  // Coverage is below 1 while horizons are open, or when the market was not observed.
  return moved === null || coverage === 1 ? known : { ...known, unit: `bps of ${percent(coverage)} filled` };
}

function row(name: string, value: string, unit = ''): CostRow {
  return { name, value, unit };
}

function figure(name: string, value: number | null, unit = ''): CostRow {
  return row(name, value === null ? '' : number(value), value === null ? '' : unit);
}

function bpsRow(name: string, value: number | null): CostRow {
  return row(name, value === null ? '' : bpsText(value), value === null ? '' : 'bps');
}

function percentRow(name: string, value: number | null): CostRow {
  return row(name, value === null ? '' : (value * 100).toFixed(2), value === null ? '' : '%');
}
