import type { Command } from 'commander';
import type { OrderPreview } from '../client/index.js';
import { CommandFailure, UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './arguments.js';
import { addRequestOptions, requestedBody } from './order-create.js';
import type { RequestOptions } from './order-create.js';
import { codeText, type Column, table } from './output.js';

const HELP = `${examples(
  'sluice preview --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 600',
  'sluice preview --request order.json --json',
)}

Takes the flags of \`sluice order create\` and places nothing. Costs are in basis points of the present mid price, positive
is cost. Exit status 1: the order would be rejected.`;

/** Number of schedule lines in the text output. */
const SLICES_SHOWN = 12;

export function addPreviewCommand(program: Command, context: CommandContext): void {
  addRequestOptions(program.command('preview').description('check an order and estimate its cost without placing it'))
    .addHelpText('after', HELP)
    .action((options: RequestOptions, command: Command) => showPreview(context, options, command));
}

async function showPreview(context: CommandContext, options: RequestOptions, command: Command): Promise<void> {
  const body = await requestedBody(options, command);
  if ('legs' in body || 'orders' in body) throw new UsageError('--request: a preview takes one order with one leg');
  await withClient(context, async (client) => {
    const answer = await client.preview(body);
    if (options.json === true) context.output.json(answer);
    else for (const block of blocksOf(answer)) context.output.line(block);
    const [first] = answer.rejections;
    if (first !== undefined) throw new CommandFailure(`${codeText(first.error_code, first.reason)}: ${first.message}`);
  });
}

/** Formats the answer as text, block by block. */
function blocksOf(preview: OrderPreview): string[] {
  const { schedule, rejections, notes = [] } = preview;
  const blocks = [verdictOf(preview)];
  if (rejections.length > 1) blocks.push(table(REJECTION_COLUMNS, rejections));
  const figures = figuresOf(preview);
  if (figures.length > 0) blocks.push('', table(FIGURE_COLUMNS, figures));
  for (const { code, message } of notes) blocks.push('', `${code}: ${message}`);
  if (schedule !== undefined) blocks.push('', scheduleText(schedule));
  return blocks;
}

function verdictOf({ accepted, existing_order_id: existing }: OrderPreview): string {
  if (existing !== undefined) return `Already placed as order ${existing}.`;
  return accepted ? 'Would be accepted.' : 'Would be rejected.';
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
}

function figuresOf({ children, expected_cost: cost, participation }: OrderPreview): Figure[] {
  const figures: Figure[] = [];
  if (children !== undefined) {
    figures.push({ name: 'children', value: String(children.count), unit: `of about ${children.quantity}` });
  }
  if (participation !== undefined) {
    figures.push({ name: 'participation', value: percent(participation), unit: '% of the volume' });
  }
  if (cost === undefined) return figures;
  return [
    ...figures,
    bps('spread', cost.spread_bps),
    bps('impact', cost.impact_bps),
    bps('fees', cost.fee_bps),
    bps('expected cost', cost.total_bps),
    bps('standard deviation', cost.stdev_bps),
  ];
}

/** Formats a share in percent with at least three digits and without exponent. */
function percent(share: number): string {
  const value = 100 * share;
  return value < 100 ? value.toPrecision(3) : value.toFixed(0);
}

function bps(name: string, value: number): Figure {
  return { name, value: value.toFixed(2), unit: 'bps' };
}

type Slice = NonNullable<OrderPreview['schedule']>[number];

function scheduleText(schedule: readonly Slice[]): string {
  const shown = schedule.slice(0, SLICES_SHOWN);
  const more = schedule.length - shown.length;
  return table(SLICE_COLUMNS, shown) + (more > 0 ? `\n… and ${more} more` : '');
}

const FIGURE_COLUMNS: readonly Column<Figure>[] = [
  { title: 'FIGURE', text: ({ name }) => name },
  { title: 'VALUE', text: ({ value }) => value, align: 'RIGHT' },
  { title: '', text: ({ unit }) => unit },
];

const SLICE_COLUMNS: readonly Column<Slice>[] = [
  { title: 'TIME', text: ({ time }) => new Date(time).toISOString() },
  { title: 'QUANTITY', text: ({ quantity }) => String(quantity), align: 'RIGHT' },
];

const REJECTION_COLUMNS: readonly Column<OrderPreview['rejections'][number]>[] = [
  { title: 'CODE', text: ({ error_code: code, reason }) => codeText(code, reason) },
  { title: 'WHY', text: ({ message }) => message },
];
