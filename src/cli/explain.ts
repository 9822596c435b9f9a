import type { Command } from 'commander';
import type { OrderTimeline, SluiceClient, TimelineEntry } from '../client/index.js';
import { positiveInteger } from './argument.js';
import { UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { number } from './order-table.js';
import type { Column } from './table.js';

interface ExplainOptions {
  readonly clientOrderId?: string;
  readonly json?: boolean;
}

const ENTRIES_PER_PAGE = 1000;

export function addExplainCommand(program: Command, context: CommandContext): void {
  program
    .command('explain')
    .description('everything that has happened to an order, with reasons and numbers')
    .argument('[order_id]', 'the order', positiveInteger)
    .option('--client-order-id <id>', 'name it by your own id')
    .option('--json', 'print JSON: the list of events')
    .addHelpText('after', examples('sluice explain 4711', 'sluice explain --client-order-id mine-1 --json'))
    .action((orderId: number | undefined, { clientOrderId, json }: ExplainOptions = {}) =>
      withClient(context, async (client) => {
        if (orderId === undefined && clientOrderId === undefined) {
          throw new UsageError('name the order by its id or --client-order-id');
        }
        const rows = await wholeTimeline(client, { orderId, clientOrderId });
        const columns = rows.some(isOfPair) ? PAIR_COLUMNS : COLUMNS;
        context.output.show({ columns, rows, empty: 'Nothing is kept of it.', json: rows }, json);
      }),
    );
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

const WHY: Column<TimelineEntry> = { title: 'WHY', text: whyOf };
const COLUMNS: readonly Column<TimelineEntry>[] = [
  { title: 'TIME', text: ({ time }) => new Date(time).toISOString() },
  { title: 'EVENT', text: ({ event }) => event },
  { title: 'CHILD', text: (entry) => entry.child_order_id?.replace(/^.*-/, '#') ?? '' },
  { title: 'QUANTITY', text: (entry) => numberOr(entry.quantity), align: 'RIGHT' },
  { title: 'PRICE', text: (entry) => numberOr(entry.price ?? entry.arrival_price), align: 'RIGHT' },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'FILLED', text: (entry) => number(entry.filled_quantity), align: 'RIGHT' },
  WHY,
];

/** Of a multi-leg order: whose child it is, and how the leg that follows stands. */
const PAIR_COLUMNS: readonly Column<TimelineEntry>[] = [
  ...COLUMNS.slice(0, -1).toSpliced(2, 0, { title: 'LEG', text: ({ leg }) => numberOr(leg) }),
  { title: 'OTHER LEG', text: (entry) => numberOr(entry.other_filled_quantity), align: 'RIGHT' },
  { title: 'MISHEDGE', text: ({ mishedge }) => numberOr(mishedge), align: 'RIGHT' },
  WHY,
];

function numberOr(value: number | undefined): string {
  return value === undefined ? '' : number(value);
}

function whyOf({ reason, detail, error_code: code, message }: TimelineEntry): string {
  return [reason, detail, code, message].filter((part) => part !== undefined).join(' ');
}
