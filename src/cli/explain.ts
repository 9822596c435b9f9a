import type { Command } from 'commander';
import type { SluiceClient } from '../client/sluice-client.js';
import { SluiceError } from '../client/sluice-error.js';
import type { OrderDetails, OrderTimeline, TimelineEntry } from '../client/wire.js';
import { examples, positiveInteger } from './arguments.js';
import { UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { number, type Column } from './output.js';

interface ExplainOptions {
  readonly clientOrderId?: string;
  readonly json?: boolean;
}

const ENTRIES_PER_PAGE = 1000;

export function addExplainCommand(program: Command, context: CommandContext): void {
  program
    .command('explain')
    .description('all events of an order with their reasons; quantities in base units, prices in quote units')
    .argument('[order_id]', 'order id', positiveInteger)
    .option('--client-order-id <id>', 'select the order by client order id')
    .option('--json', 'print the list of events as JSON')
    .addHelpText('after', examples('sluice explain 4711', 'sluice explain --client-order-id mine-1 --json'))
    .action((orderId: number | undefined, { clientOrderId, json }: ExplainOptions = {}) =>
      withClient(context, async (client) => {
        if (orderId === undefined && clientOrderId === undefined) {
          throw new UsageError('give an order id or --client-order-id');
        }
        const rows = await wholeTimeline(client, { orderId, clientOrderId });
        const grids = json === true ? [] : await gridsOf(client, { orderId, clientOrderId });
        const columns = columnsOf(rows.some(isOfPair), grids);
        context.output.show({ columns, rows, empty: 'The service keeps no events of this order.', json: rows }, json);
        const note = json === true ? null : noteOf(rows);
        if (note !== null) context.output.line(`\n${note}`);
      }),
    );
}

/** The grid of a leg, for figures that the timeline has in lots and ticks. */
interface LegGrid {
  readonly quantityPrecision: number;
  readonly pricePrecision: number;
  readonly quantityStep: number;
  readonly priceStep: number;
  readonly isLeading: boolean;
}

/** Grids of the legs of an order. Empty when the service does not list its instruments. */
async function gridsOf(
  client: SluiceClient,
  { orderId, clientOrderId }: { readonly orderId: number | undefined; readonly clientOrderId: string | undefined },
): Promise<readonly LegGrid[]> {
  try {
    const ids = orderId === undefined ? { clientOrderIds: [clientOrderId ?? ''] } : { orderIds: [orderId] };
    const [order] = await client.byId(ids);
    const legs: readonly Traded[] = order === undefined ? [] : (order.legs ?? [order]);
    const grids = await Promise.all(legs.map((leg) => gridOf(client, leg)));
    return grids.every((grid) => grid !== null) ? grids : [];
  } catch (error) {
    if (error instanceof SluiceError) return [];
    throw error;
  }
}

type Traded = Partial<Pick<OrderDetails, 'exchange' | 'symbol' | 'asset_class'>> & { readonly is_leading?: boolean };

async function gridOf(client: SluiceClient, leg: Traded): Promise<LegGrid | null> {
  const { exchange, symbol, asset_class: assetClass, is_leading: isLeading = false } = leg;
  if (exchange === undefined || symbol === undefined) return null;
  const listed = await client.instruments({ exchange, symbol });
  const instrument =
    listed.find((one) => one.assetClass === assetClass) ?? (listed.length === 1 ? listed[0] : undefined);
  if (instrument === undefined) return null;
  const { quantityPrecision, pricePrecision, quantityStep = 1, priceStep = 1 } = instrument;
  return { quantityPrecision, pricePrecision, quantityStep, priceStep, isLeading };
}

const LOT_FIGURES = new Set('target lag filled working wanted want deficit filled_lead filled_hedge'.split(' '));
const TICK_FIGURES = new Set(['bid', 'ask', 'price']);

/** Converts the figures of a detail from lots and ticks to base and quote units. Unknown figures stay unchanged. */
function inUnits({ detail, leg }: TimelineEntry, grids: readonly LegGrid[]): string | undefined {
  const index =
    leg ??
    Math.max(
      0,
      grids.findIndex(({ isLeading }) => isLeading),
    );
  return detail?.replaceAll(/\b([a-z_]+)=(-?\d+)(?![\w.%])/g, (figure, name: string, count: string) => {
    // A hedge also reports the fills of the leg that it follows.
    const grid = grids[name === 'filled_lead' ? 1 - index : index];
    if (grid === undefined) return figure;
    if (LOT_FIGURES.has(name)) return `${name}=${scaled(count, grid.quantityPrecision, grid.quantityStep)}`;
    return TICK_FIGURES.has(name) ? `${name}=${scaled(count, grid.pricePrecision, grid.priceStep)}` : figure;
  });
}

function scaled(count: string, precision: number, step: number): string {
  return number((Number(count) * step) / 10 ** precision, precision);
}

/** Says that a PASSIVE order rested where taking was expected to be cheaper; null where no placement reports it. */
function noteOf(entries: readonly TimelineEntry[]): string | null {
  const submitted = entries.filter(({ event }) => event === 'ChildSubmitted');
  const dearer = submitted.filter(({ detail }) => detail?.split(' ').includes('cheaper=taking'));
  if (dearer.length === 0) return null;
  const count = `${dearer.length} of ${submitted.length} child ${submitted.length === 1 ? 'order' : 'orders'}`;
  return `TAKING_IS_CHEAPER: PASSIVE rested ${count} although taking was then expected to be cheaper.`;
}

async function wholeTimeline(
  client: SluiceClient,
  name: { readonly orderId: number | undefined; readonly clientOrderId: string | undefined },
): Promise<readonly TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  let after: number | undefined;
  do {
    const page: OrderTimeline = await client.timeline({ ...name, after, limit: ENTRIES_PER_PAGE });
    entries.push(...page.events);
    after = page.next_after;
  } while (after !== undefined);
  return entries;
}

function isOfPair({ other_filled_quantity: otherFilled }: TimelineEntry): boolean {
  return otherFilled !== undefined;
}

const COLUMNS: readonly Column<TimelineEntry>[] = [
  { title: 'TIME', text: ({ time }) => new Date(time).toISOString() },
  { title: 'EVENT', text: ({ event }) => event },
  { title: 'CHILD', text: (entry) => entry.child_order_id?.replace(/^.*-/, '#') ?? '' },
  { title: 'QUANTITY', text: (entry) => numberOr(entry.quantity), align: 'RIGHT' },
  { title: 'PRICE', text: (entry) => numberOr(entry.price ?? entry.arrival_price), align: 'RIGHT' },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'FILLED', text: (entry) => number(entry.filled_quantity), align: 'RIGHT' },
];

/** Columns of a multi-leg order: also the leg of the child, the fills of the other leg and the mishedge. */
const PAIR_COLUMNS: readonly Column<TimelineEntry>[] = [
  ...COLUMNS.toSpliced(2, 0, { title: 'LEG', text: ({ leg }) => numberOr(leg) }),
  { title: 'OTHER LEG', text: (entry) => numberOr(entry.other_filled_quantity), align: 'RIGHT' },
  { title: 'MISHEDGE', text: ({ mishedge }) => numberOr(mishedge), align: 'RIGHT' },
];

function columnsOf(isPair: boolean, grids: readonly LegGrid[]): readonly Column<TimelineEntry>[] {
  return [...(isPair ? PAIR_COLUMNS : COLUMNS), { title: 'WHY', text: (entry) => whyOf(entry, grids) }];
}

function numberOr(value: number | undefined): string {
  return value === undefined ? '' : number(value);
}

function whyOf(entry: TimelineEntry, grids: readonly LegGrid[]): string {
  const { reason, error_code: code, message } = entry;
  return [reason, inUnits(entry, grids), causeOf(entry), code, message].filter((part) => part !== undefined).join(' ');
}

/** Who cancelled the order, in one part of a line. */
function causeOf({ cause }: TimelineEntry): string | undefined {
  if (cause === undefined) return undefined;
  return cause.api_key === undefined ? `by ${cause.by}` : `by ${cause.by}, API key ${cause.api_key}`;
}
