import { number, sum } from './output.js';
import type { Command } from 'commander';
import { StreamClient, TERMINAL_STATUSES } from '../client/index.js';
import type { ChildOrderFrame, Frame, OrderDetails, OrderFrame, SluiceClient, TradeFrame } from '../client/index.js';
import { positiveInteger } from './arguments.js';
import { CommandFailure, serviceUrl, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { childNumberOf, endText, ofLegs } from './order-table.js';

const EXAMPLES = `
Examples:
  $ sluice watch 4711
  $ sluice watch 4711 --json | jq .order_status.status

Times are in UTC, service time. The command ends with the order. Exit status 0: FILLED; 1: any other end.`;

export function addWatchCommand(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description('follow an order, its children and fills to its end')
    .argument('<order_id>', 'order id', positiveInteger)
    .option('--json', 'print each stream frame as a line of JSON')
    .addHelpText('after', EXAMPLES)
    .action((id: number, options: { json?: boolean }) =>
      withClient(context, (client) => watch(context, client, { id, json: options.json === true })),
    );
}

async function watch(
  context: CommandContext,
  client: SluiceClient,
  { id, json }: { id: number; json: boolean },
): Promise<void> {
  const exchanges = new Set(ofLegs(await details(client, id), 'exchange'));
  const follower = new Follower(context, { id, json });
  // Shows changes from before the subscriptions and from an outage.
  const show = async (): Promise<void> => follower.onDetails(await details(client, id));
  // The clock of this machine: the service cannot be asked.
  const warn = (text: string): void => context.output.warn(`${new Date().toISOString()} ${text}`);
  let isAway = false;
  let isOver = false;
  const stream = new StreamClient({
    url: serviceUrl(context),
    listenKey: () => client.listenKey(),
    onConnection: (state) => {
      // Warnings go to standard error, so that --json prints frames alone.
      if (state === 'UP' && isAway) warn('connected again');
      if (state === 'DOWN' && !isOver) warn('the connection to the service is lost; trying again');
      isAway = state === 'DOWN';
      if (state === 'UP') show().catch(follower.fail);
    },
  });
  try {
    await stream.connect();
    for (const exchange of exchanges) await follower.subscribe(stream, exchange);
    await show();
    const end = await follower.end;
    if (end !== 'FILLED') throw new CommandFailure(`the order ended ${end}`);
  } finally {
    isOver = true;
    stream.close();
  }
}

async function details(client: SluiceClient, id: number): Promise<OrderDetails> {
  const [order] = await client.byId({ orderIds: [id] });
  if (order === undefined) throw new CommandFailure(`there is no order ${id}`);
  return order;
}

/** Prints the frames of one order and resolves `end` with its final status. */
class Follower {
  readonly #context: CommandContext;
  readonly #id: string;
  readonly #json: boolean;
  /** Latest printed state of the order. Equal states are printed once. */
  #printedState = '';
  #ended: (status: string) => void = () => undefined;
  /** Ends the following with an error. */
  fail: (reason: unknown) => void = () => undefined;
  /** Final status of the order. */
  readonly end: Promise<string>;

  constructor(context: CommandContext, order: { id: number; json: boolean }) {
    this.#context = context;
    this.#id = String(order.id);
    this.#json = order.json;
    this.end = new Promise((resolve, reject) => {
      this.#ended = resolve;
      this.fail = reject;
    });
    // It may reject before a caller awaits it.
    this.end.catch(() => undefined);
  }

  async subscribe(stream: StreamClient, exchange: string): Promise<void> {
    await stream.subscribe({ topic: 'child_order', exchange }, (frame) => {
      if (frame.order.parent_order_id === this.#id) this.#print(frame, childLine(frame));
    });
    await stream.subscribe({ topic: 'trade', exchange }, (frame) => {
      if (frame.parent_order_id === this.#id) this.#print(frame, tradeLine(frame));
    });
    await stream.subscribe({ topic: 'order', exchange }, (frame) => {
      if (frame.order.order_id === this.#id) this.#onOrder(frame);
    });
  }

  onDetails(order: OrderDetails): void {
    const total = sum(order.filled_quantity, order.leaves_quantity);
    const filled = `filled ${number(order.filled_quantity)} of ${number(total)} at ${number(order.average_price)}`;
    const what = `${ofLegs(order, 'side').join('+')} ${ofLegs(order, 'symbol').join('+')}`;
    const why = endText(order);
    const state = `order ${this.#id} ${what} ${order.status} ${filled} ${why}`.trimEnd();
    if (!this.#json && state !== this.#printedState) this.#context.output.line(state);
    this.#printedState = state;
    this.#endIfOver(order.status);
  }

  #onOrder(frame: OrderFrame): void {
    this.#print(frame, orderLine(frame));
    this.#endIfOver(frame.order_status.status);
  }

  #print(frame: Frame, line: string): void {
    if (this.#json) this.#context.output.json(frame);
    else this.#context.output.line(line);
  }

  #endIfOver(status: string): void {
    if (TERMINAL_STATUSES.includes(status)) this.#ended(status);
  }
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
