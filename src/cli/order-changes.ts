import { type Command, InvalidArgumentError } from 'commander';
import type { OrderAmendment, OrderRef, OrderSummary, SluiceClient } from '../client/index.js';
import { examples, positiveInteger, several } from './arguments.js';
import { type CommandContext, CommandFailure, UsageError, withClient } from './context.js';
import { addAmendmentFlags, amendedTerms, type OrderFlags } from './order-flags.js';
import { failIfRefused, refusal, showOrders, showSummaries } from './order-table.js';

interface NameOptions {
  readonly clientOrderId?: string;
  readonly json?: boolean;
}

const NAME = 'select the order by client order id';

export function addControlCommands(order: Command, context: CommandContext): void {
  const asking = (name: 'pause' | 'resume', description: string): void => {
    order
      .command(name)
      .description(description)
      .argument('[order_id]', 'the order', positiveInteger)
      .option('--client-order-id <id>', NAME)
      .option('--json', 'print JSON')
      .addHelpText('after', examples(`sluice order ${name} 4711`, `sluice order ${name} --client-order-id mine-1`))
      .action((id: number | undefined, options: NameOptions = {}) =>
        withClient(context, async (client) => show(context, await client[name](refOf(id, options)), options)),
      );
  };
  asking('pause', 'cancel the children of an order and place none until it is resumed');
  asking('resume', 'resume a paused order: the rest of the quantity in the rest of the time');
  addAmendCommand(order, context);
}

function addAmendCommand(order: Command, context: CommandContext): void {
  const command = order
    .command('amend')
    .description('change the terms of a working or paused order')
    .argument('[order_id]', 'the order', positiveInteger)
    .option('--client-order-id <id>', NAME)
    .option('--json', 'print JSON');
  addAmendmentFlags(command)
    .addHelpText(
      'after',
      examples('sluice order amend 4711 --quantity 0.75', 'sluice order amend 4711 --duration 1200'),
    )
    .action((id: number | undefined, options: NameOptions & OrderFlags = {}) =>
      withClient(context, (client) => {
        const terms = amendedTerms(options);
        if (Object.keys(terms).length === 0) throw new UsageError('give at least one new term, for example --quantity');
        return amend(context, client, { ...refOf(id, options), ...terms }, options);
      }),
    );
}

async function amend(
  context: CommandContext,
  client: SluiceClient,
  amendment: OrderAmendment,
  options: NameOptions,
): Promise<void> {
  show(context, await client.amend(amendment), options);
}

function refOf(id: number | undefined, { clientOrderId }: NameOptions): OrderRef {
  if (id !== undefined) return { order_id: id, client_order_id: clientOrderId };
  if (clientOrderId !== undefined) return { client_order_id: clientOrderId };
  throw new UsageError('give an order id or --client-order-id');
}

function show(context: CommandContext, summary: OrderSummary, { json }: NameOptions): void {
  showSummaries(context, summary, json);
  if (summary.error_code !== undefined) throw new CommandFailure(refusal(summary));
}

interface CancelOptions {
  readonly clientOrderId?: readonly string[];
  readonly all?: boolean;
  readonly json?: boolean;
}

const CANCEL_HELP = `${examples(
  'sluice order cancel 4711',
  'sluice order cancel 4711 4712 --json',
  'sluice order cancel --client-order-id mine-1',
  'sluice order cancel --all',
)}

The order ends after the answer; follow it with: sluice watch. Exit status 1: a cancel was refused.`;

export function addCancelCommand(order: Command, context: CommandContext): void {
  order
    .command('cancel')
    .description('cancel orders by id, or all open orders')
    .argument('[order_id...]', 'the orders', several(positiveInteger))
    .option('--client-order-id <id...>', 'select orders by client order id')
    .option('--all', 'all open orders of the account')
    .option('--json', 'print JSON: an object for one order, a list for several')
    .addHelpText('after', CANCEL_HELP)
    .action((ids: readonly number[] = [], options: CancelOptions = {}) =>
      withClient(context, (client) => cancel(context, client, ids, options)),
    );
}

async function cancel(
  context: CommandContext,
  client: SluiceClient,
  ids: readonly number[],
  { clientOrderId: names = [], all, json }: CancelOptions,
): Promise<void> {
  const refs: OrderRef[] = [
    ...ids.map((id) => ({ order_id: id })),
    ...names.map((name) => ({ client_order_id: name })),
  ];
  const [first] = refs;
  if (all === true) {
    if (first !== undefined) throw new UsageError('--all excludes order ids');
    return showOrders(context, await client.cancelAll(), json);
  }
  if (first === undefined) throw new UsageError('give order ids, --client-order-id or --all');
  const answer = await (refs.length === 1 ? client.cancel(first) : client.cancelMany(refs));
  showSummaries(context, answer, json);
  failIfRefused(answer);
}

const CANCEL_ALL_AFTER_HELP = `${examples('sluice cancel-all-after 60000', 'sluice cancel-all-after 0')}

Repeat the command before the time is over, for example every 20 s. The timer survives restarts of the service.`;

export function addCancelAllAfterCommand(program: Command, context: CommandContext): void {
  program
    .command('cancel-all-after')
    .alias('cancel-after')
    .description('cancel all open orders unless this command is repeated within the time; 0 disables the timer')
    .argument('<ms>', 'milliseconds of real time, 1000 to 86400000', milliseconds)
    .option('--json', 'print JSON')
    .addHelpText('after', CANCEL_ALL_AFTER_HELP)
    .action((timeoutMs: number, options: { readonly json?: boolean } = {}) =>
      withClient(context, async (client) => {
        const answer = await client.cancelAllAfter(timeoutMs);
        if (options.json === true) return context.output.json(answer);
        const { triggerTime } = answer;
        return context.output.line(
          triggerTime === null
            ? 'Disabled.'
            : `All open orders will be cancelled at ${new Date(triggerTime).toISOString()}.`,
        );
      }),
    );
}

function milliseconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('not a number of milliseconds');
}
