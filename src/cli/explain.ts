import type { Command } from 'commander';
import type { SluiceClient } from '../client/sluice-client.js';
import type { OrderTimeline, TimelineEntry } from '../client/wire.js';
import { examples, positiveInteger } from './arguments.js';
import { UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { childNumberOf, endText } from './order-table.js';
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
        const columns = columnsOf(rows.some(isOfPair));
        context.output.show({ columns, rows, empty: 'The service keeps no events of this order.', json: rows }, json);
        const note = json === true ? null : noteOf(rows);
        if (note !== null) context.output.line(`\n${note}`);
      }),
    );
}

/** Says that a PASSIVE order rested where taking was expected to be cheaper; null where no placement reports it. */
function noteOf(entries: readonly TimelineEntry[]): string | null {
  const submitted = entries.filter(({ event }) => event === 'ChildSubmitted');
  const dearer = submitted.filter(({ detail }) => detail?.taking_is_cheaper === true);
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
  { title: 'CHILD', text: ({ child_order_id: id }) => (id === undefined ? '' : `#${childNumberOf(id)}`) },
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

function columnsOf(isPair: boolean): readonly Column<TimelineEntry>[] {
  return [...(isPair ? PAIR_COLUMNS : COLUMNS), { title: 'WHY', text: whyOf }];
}

function numberOr(value: number | undefined): string {
  return value === undefined ? '' : number(value);
}

function whyOf(entry: TimelineEntry): string {
  const { reason, detail, settled_by: operator } = entry;
  const by = operator === undefined ? undefined : `by OPERATOR ${operator}`;
  const parts = [reason, detailText(detail), by, endText(entry)];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

/** The figures of a reason as `name=value`, and its words. */
function detailText(detail: TimelineEntry['detail']): string {
  return Object.entries(detail ?? {})
    .map(([name, value]) =>
      name === 'message' ? value : `${name}=${typeof value === 'number' ? number(value, 18) : value}`,
    )
    .join(' ');
}
