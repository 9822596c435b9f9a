import { type Command, Option } from 'commander';
import type { ChildOrderFrame, Frame, OrderDetails, OrderFrame, SluiceClient, TradeFrame } from '../../client/index.js';
import { positiveInteger } from '../arguments.js';
import { type CommandContext, CommandFailure, serviceUrl, withClient } from '../context.js';
import { childNumberOf, endText, ofLegs } from '../order-table.js';
import { number, type Output, sum } from '../output.js';
import { LiveView, ServiceTime } from './live-view.js';
import { type OrderView, watchOrder } from './order-watch.js';

const EXAMPLES = `
Examples:
  $ sluice watch 4711
  $ sluice watch 4711 --live
  $ sluice watch 4711 --json | jq .order_status.status

Times are in UTC, service time. The command ends with the order. Exit status 0: FILLED; 1: any other end.`;

interface WatchOptions {
  readonly json?: boolean;
  readonly live?: boolean;
}

export function addWatchCommand(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description('follow an order, its children and fills to its end')
    .argument('<order_id>', 'order id', positiveInteger)
    .option('--json', 'print each stream frame as a line of JSON')
    .addOption(
      new Option('--live', 'draw the progress in place; without a terminal, a line every 5 s').conflicts('json'),
    )
    .addHelpText('after', EXAMPLES)
    .action((id: number, options: WatchOptions) =>
      withClient(context, async (client) => {
        const open = await viewOf(context, client, options);
        const end = await watchOrder({ client, url: serviceUrl(context), id, open });
        if (end !== 'FILLED') throw new CommandFailure(`the order ended ${end}`);
      }),
    );
}

async function viewOf(
  { output, terminal }: CommandContext,
  client: SluiceClient,
  { json, live }: WatchOptions,
): Promise<(order: OrderDetails) => OrderView> {
  if (live !== true) return () => new LineView(output, json === true);
  const time = await ServiceTime.of(client);
  const lines = { write: (text: string) => output.line(text.trimEnd()) };
  return (order) => new LiveView(order, terminal ?? lines, time);
}

/** Prints a line for each frame. */
class LineView implements OrderView {
  readonly hasQuotes = false;
  readonly #output: Output;
  readonly #json: boolean;
  /** Latest printed state of the order. Equal states are printed once. */
  #printedState = '';

  constructor(output: Output, json: boolean) {
    this.#output = output;
    this.#json = json;
  }

  /** Prints warnings to standard error, so that --json prints frames alone. The time is that of this machine. */
  onConnection(isUp: boolean): void {
    const text = isUp ? 'connected again' : 'the connection to the service is lost; trying again';
    this.#output.warn(`${new Date().toISOString()} ${text}`);
  }

  onDetails(order: OrderDetails): void {
    const total = sum(order.filled_quantity, order.leaves_quantity);
    const filled = `filled ${number(order.filled_quantity)} of ${number(total)} at ${number(order.average_price)}`;
    const what = `${ofLegs(order, 'side').join('+')} ${ofLegs(order, 'symbol').join('+')}`;
    const state = `order ${order.order_id} ${what} ${order.status} ${filled} ${endText(order)}`.trimEnd();
    if (!this.#json && state !== this.#printedState) this.#output.line(state);
    this.#printedState = state;
  }

  onFrame(frame: Frame): void {
    if (this.#json) this.#output.json(frame);
    else if (frame.topic === 'order') this.#output.line(orderLine(frame));
    else if (frame.topic === 'child_order') this.#output.line(childLine(frame));
    else if (frame.topic === 'trade') this.#output.line(tradeLine(frame));
  }

  end(): void {}
}

function orderLine({ order_status: status, order }: OrderFrame): string {
  const filled = `filled ${number(status.filled_quantity)} of ${number(order.quantity)}`;
  return line(
    status.created_at,
    'order',
    status.status,
    `${filled} at ${number(status.average_price)} ${endText(status)}`,
  );
}

/** The child by its number within the order, its terms, and why it was placed. */
function childLine({ order_status: status, order }: ChildOrderFrame): string {
  const price = order.limit_price === undefined ? 'the market' : number(order.limit_price);
  const terms = `#${childNumberOf(order.client_order_id)} ${order.side} ${number(order.quantity)} at ${price}`;
  const why = [order.reason, endText(status)].filter((part) => part !== undefined && part !== '').join(' ');
  return line(status.created_at, 'child', status.status, `${terms} filled ${number(status.filled_quantity)} ${why}`);
}

function tradeLine(frame: TradeFrame): string {
  const fee = `fee ${number(frame.fee_cost)} ${frame.fee_currency}`;
  const terms = `#${childNumberOf(frame.order_id)} ${frame.side} ${number(frame.amount)} at ${number(frame.price)}`;
  return line(frame.timestamp, 'trade', frame.taker_or_maker, `${terms} ${fee}`);
}

function line(atMs: number, topic: string, state: string, text: string): string {
  return `${new Date(atMs).toISOString()} ${topic} ${state.padEnd(16)} ${text}`.trimEnd();
}
