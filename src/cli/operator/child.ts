import type { Command } from 'commander';
import { type ChildSettlement, settlementRefusal } from '../../domain/child-settlement.js';
import { type ChildNumber, childClientId, type OrderId } from '../../domain/ids.js';
import { type LiveChild, liveChildren, type ParentState } from '../../domain/order-state.js';
import { legAt } from '../../domain/pair.js';
import { formatLots, formatTicks, type Grid, type Lots, parseSteps, stepsOfUnits } from '../../domain/quantity.js';
import type { StepFailure, Ticks } from '../../domain/quantity.js';
import { type OrRejection, isRejected, reject, Rejected } from '../../domain/rejection.js';
import { readStoredOrder } from '../../journal/state/stored-orders.js';
import { ProcessClaim } from '../../storage/process-claim.js';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory, UsageError } from '../context.js';
import { audit, type DataDirectory, granted, operatorName, withExisting } from './data-directory.js';

interface Options {
  readonly filled?: string;
  readonly price?: string;
  readonly absent?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

const HELP = `${examples(
  'sluice child settle 65537-3 --absent --reason "not in the order history of the exchange"',
  'sluice child settle 65537-3 --filled 0.02 --price 64000.5',
)}

A child order is UNKNOWN when its exchange does not say what became of it. First look at the page of the exchange. --filled is
the quantity that the child has filled in total, 0 with --absent; --price is the price of what the service has no fill of. The
child then ends. An order that is quarantined for its child is released: its other children are cancelled, and it ends. The
settled quantity has no fee. Fills that the exchange reports later are counted beyond the settled quantity only.
SLUICE_DATA_DIR is the data directory (./data). A running service carries out a settlement within about a second, a stopped
service at its next start.`;

/** Adds the commands for child orders. They work on the data directory, because no API key may settle a child. */
export function addChildCommands(program: Command, context: CommandContext): void {
  const child = program.command('child').description('child orders whose state the exchange does not say');
  child.addHelpText('after', HELP);
  withReason(child.command('settle'))
    .description('state how an unknown child order has ended')
    .argument('<child>', 'child order id: ORDER-NUMBER')
    .option('--filled <quantity>', 'quantity that it has filled in total, in base units')
    .option('--price <price>', 'price of what the service has no fill of')
    .option('--absent', 'it has filled nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (name: string, options: Options) =>
      print(context, granted(await settleChild(dataDirectory(context, options.reason), name, options)), options.json),
    );
}

/** A requested settlement. */
interface RequestedSettlement {
  readonly settlement: ChildSettlement;
  readonly state: ParentState;
  /** True: a running service carries out the settlement within about a second. False: the next start does. */
  readonly isServiceRunning: boolean;
}

/**
 * Requests the settlement of an unknown child. Durable on resolve. A later request for the same child replaces it until it is
 * carried out.
 */
export function settleChild(
  data: DataDirectory,
  name: string,
  options: Pick<Options, 'filled' | 'price' | 'absent'>,
): Promise<OrRejection<RequestedSettlement>> {
  if ((options.filled === undefined) === (options.absent !== true)) {
    throw new UsageError('give --filled with the filled quantity, or --absent');
  }
  if (options.absent === true && options.price !== undefined) throw new UsageError('--absent has no --price');
  return withExisting(data, async ({ settlements }) => {
    const named = nameOf(name);
    if (named === null) return reject('INVALID_PARAM', `child ${JSON.stringify(name)} is not ORDER-NUMBER`);
    const { orderId, child } = named;
    const stored = await readStoredOrder(data.path, orderId);
    if (stored === null) return reject('INVALID_ORDER', `order_id ${orderId} is not stored in ${data.path}`);
    const { state } = stored;
    if (state === null) return reject('SYSTEM_ERROR', `the stored state of order_id ${orderId} cannot be read`);
    const live = liveOf(state, child);
    const stated = statementOf(options, live === undefined ? null : legAt(state.order.legs, live.order.leg));
    if (isRejected(stated)) return stated;
    const settlement = { orderId, child, ...stated, reason: data.reason ?? '', by: operatorName() };
    const refusal = settlementRefusal(state, settlement);
    if (refusal !== null) return new Rejected(refusal);
    const isServiceRunning = ProcessClaim.isHeld(data.path);
    audit(data, 'child.settle', { account: state.order.account, ...textsOf(settlement, live!, state) });
    settlements.ask(settlement);
    return { settlement, state, isServiceRunning };
  });
}

function liveOf(state: ParentState, child: ChildNumber): LiveChild | undefined {
  return liveChildren(state).find(({ order }) => order.child === child);
}

/** null: no order id with a child number. */
function nameOf(name: string): { readonly orderId: OrderId; readonly child: ChildNumber } | null {
  const [, order, number] = /^(\d{1,16})-(\d{1,10})$/.exec(name) ?? [];
  const [orderId, child] = [Number(order), Number(number)];
  if (!Number.isSafeInteger(orderId) || !Number.isSafeInteger(child)) return null;
  return { orderId: orderId as OrderId, child: child as ChildNumber };
}

/** `grid`: that of the child; null: there is no such child, and another check refuses it. */
function statementOf(
  { filled = '0', price }: Pick<Options, 'filled' | 'price'>,
  grid: Grid | null,
): OrRejection<Pick<ChildSettlement, 'filled' | 'price'>> {
  if (grid === null) return { filled: 0 as Lots, price: null };
  const lots = stepsOfUnits(parseSteps(filled, grid.quantityPrecision), grid.quantityStep);
  if (typeof lots !== 'number') {
    return reject('INVALID_QUANTITY', stepText('--filled', filled, lots, `lot ${formatLots(1 as Lots, grid)}`));
  }
  if (price === undefined) return { filled: lots as Lots, price: null };
  const ticks = stepsOfUnits(parseSteps(price, grid.pricePrecision), grid.priceStep);
  if (typeof ticks === 'number' && ticks > 0) return { filled: lots as Lots, price: ticks as Ticks };
  const failure = typeof ticks === 'number' ? 'not above 0' : ticks;
  return reject('INVALID_LIMIT_PRICE', stepText('--price', price, failure, `tick ${formatTicks(1 as Ticks, grid)}`));
}

function stepText(option: string, text: string, failure: StepFailure | 'not above 0', step: string): string {
  return `${option} ${JSON.stringify(text)} is ${failure === 'off the grid' ? `not a multiple of the ${step}` : failure}`;
}

function textsOf({ orderId, child, filled, price }: ChildSettlement, { order }: LiveChild, state: ParentState) {
  const grid = legAt(state.order.legs, order.leg);
  return {
    child_order_id: childClientId(orderId, child),
    quantity: formatLots(order.quantity, grid),
    filled_quantity: formatLots(filled, grid),
    ...(price === null ? {} : { price: formatTicks(price, grid) }),
  };
}

function print({ output }: CommandContext, asked: RequestedSettlement, json: boolean | undefined): void {
  const { settlement, state, isServiceRunning } = asked;
  const texts = textsOf(settlement, liveOf(state, settlement.child)!, state);
  if (json === true) return output.json({ ...texts, service_running: isServiceRunning });
  const price = texts.price === undefined ? '' : ` at ${texts.price}`;
  output.line(`Child ${texts.child_order_id}: ${texts.filled_quantity} of ${texts.quantity} filled${price}.`);
  output.line(
    isServiceRunning
      ? 'The running service carries out the settlement within about a second: see sluice explain.'
      : 'No service runs on this directory. The next start carries out the settlement.',
  );
}
