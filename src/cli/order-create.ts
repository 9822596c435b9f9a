import type { Command } from 'commander';
import { UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { addOrderFlags } from './order-flags.js';
import type { OrderFlags } from './order-flags.js';
import { orderRequest } from './order-request.js';
import { failIfRefused, showSummaries } from './order-summary.js';
import { place, readRequest } from './request-file.js';

/** What every command takes that is about an order that is not there yet. */
export interface RequestOptions extends OrderFlags {
  readonly request?: string;
  readonly json?: boolean;
}

const HELP = `${examples(
  'sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60',
  'sluice order create --exchange OKX --symbol ETH/USDT --category FUTURE --side SELL --quantity 2 \\\n' +
    '      --strategy LIMIT --limit-price 3100.5 --client-order-id mine-1',
  'sluice order create --exchange OKX --symbol ETH/USDT --side BUY --quantity 10 --strategy SCALE \\\n' +
    '      --ladder-start 3000 --ladder-end 2900 --clip ORDER_COUNT:11 --trigger-below 3050',
  'sluice order create --request order.json',
  'sluice order create --request - --json < order.json',
)}

A request with \`legs\` makes a multi-leg order, one with \`orders\` several orders.
A create that was not answered is sent again, and the order is placed once; with --client-order-id the whole command
can be repeated. Ends with status 1 when an order is rejected.`;

export function addCreateCommand(order: Command, context: CommandContext): void {
  addRequestOptions(order.command('create').description('place an order'))
    .addHelpText('after', HELP)
    .action((options: RequestOptions, command: Command) => create(context, options, command));
}

export function addRequestOptions(command: Command): Command {
  return addOrderFlags(command)
    .option('--request <file>', 'the whole request as JSON instead of flags; - reads standard input')
    .option('--json', 'print JSON');
}

async function create(context: CommandContext, options: RequestOptions, command: Command): Promise<void> {
  const body = await requestedBody(options, command);
  await withClient(context, async (client) => {
    const answer = await place(client, body);
    showSummaries(context, answer, options.json);
    failIfRefused(answer);
  });
}

/** The order that the flags or the request stand for. */
export function requestedBody(options: RequestOptions, command: Command): ReturnType<typeof readRequest> {
  if (options.request !== undefined) return readRequestAlone(options.request, command);
  return Promise.resolve(orderRequest(options));
}

/** A flag beside the whole request would be lost. */
function readRequestAlone(path: string, command: Command): ReturnType<typeof readRequest> {
  const other = command.options
    .map((option) => ({ long: option.long, name: option.attributeName() }))
    .find(({ name }) => !['request', 'json'].includes(name) && command.getOptionValueSource(name) === 'cli');
  if (other !== undefined) throw new UsageError(`--request holds the whole order: it goes without ${other.long}`);
  return readRequest(path);
}
