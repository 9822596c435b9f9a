import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { OrderRequest } from '../client/index.js';
import { CommandFailure, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { refusal, showSummary } from './order-summary.js';

interface CreateOptions {
  readonly exchange: string;
  readonly symbol: string;
  readonly category: 'SPOT' | 'FUTURE';
  readonly side: 'BUY' | 'SELL';
  readonly quantity: string;
  readonly strategy: string;
  readonly duration?: string;
  readonly limitPrice?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly clipType?: string;
  readonly clipValue?: string;
  readonly style?: string;
  readonly urgency?: string;
  readonly randomize?: boolean;
  readonly reduceOnly?: boolean;
  readonly postOnly?: boolean;
  readonly param: Readonly<Record<string, unknown>>;
  readonly clientOrderId?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  $ sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60
  $ sluice order create --exchange OKX --symbol ETH/USDT --category FUTURE --side SELL --quantity 2 \\
      --strategy LIMIT --limit-price 3100.5 --client-order-id mine-1

With --client-order-id a create that was not answered can be sent again: the order is placed once.
Ends with status 1 when the order is rejected.`;

export function addCreateCommand(order: Command, context: CommandContext): void {
  order
    .command('create')
    .description('place an order')
    .requiredOption('--exchange <name>', 'for example BINANCE')
    .requiredOption('--symbol <symbol>', 'for example BTC/USDT')
    .addOption(choice('--category <category>', 'kind of instrument', ['SPOT', 'FUTURE']).default('SPOT'))
    .addOption(choice('--side <side>', 'what to do', ['BUY', 'SELL']).makeOptionMandatory())
    .requiredOption('--quantity <decimal>', 'in base units')
    .requiredOption('--strategy <name>', 'TWAP, LIMIT, MARKET, …')
    .option('--duration <seconds>', 'how long to work the order')
    .option('--limit-price <decimal>', 'never trade beyond it')
    .option('--start-time <time>', 'ISO 8601, UTC')
    .option('--end-time <time>', 'ISO 8601, UTC')
    .option('--clip-type <type>', 'ABSOLUTE, PERCENTAGE, AUTOMATIC, ORDER_COUNT')
    .option('--clip-value <decimal>', 'what the clip type asks for')
    .option('--style <style>', 'PASSIVE, AGGRESSIVE, HYBRID')
    .option('--urgency <urgency>', 'LOW, MEDIUM, HIGH')
    .option('--randomize', 'vary the size of slices')
    .option('--reduce-only', 'futures: never open or flip a position')
    .option('--post-only', 'passive placements never cross')
    .option('--param <name=value>', 'any other parameter; the value is JSON or plain text; repeatable', parameter, {})
    .option('--client-order-id <id>', 'your own id; makes the create safe to repeat')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: CreateOptions) => create(context, options));
}

async function create(context: CommandContext, options: CreateOptions): Promise<void> {
  await withClient(context, async (client) => {
    const summary = await client.create(orderRequest(options));
    showSummary(context, summary, options.json);
    if (summary.status === 'REJECTED') throw new CommandFailure(refusal(summary));
  });
}

function orderRequest(options: CreateOptions): OrderRequest {
  const params = {
    duration_seconds: options.duration,
    trading_style: options.style,
    urgency: options.urgency,
    randomize_amount: options.randomize,
    reduce_only: options.reduceOnly,
    post_only: options.postOnly,
    ...options.param,
  };
  const isGiven = Object.values(params).some((value) => value !== undefined);
  return {
    client_order_id: options.clientOrderId,
    exchange: options.exchange,
    symbol: options.symbol,
    asset_category: options.category,
    side: options.side,
    quantity: options.quantity,
    strategy: options.strategy,
    limit_price: options.limitPrice,
    start_time: options.startTime,
    end_time: options.endTime,
    clip_size_type: options.clipType,
    clip_size_val: options.clipValue,
    params: isGiven ? params : undefined,
  } as OrderRequest;
}

function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => {
    const value = text.toUpperCase();
    if (!values.includes(value)) throw new InvalidArgumentError(`allowed are ${values.join(', ')}`);
    return value;
  });
}

function parameter(text: string, before: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('not of the form name=value');
  return { ...before, [text.slice(0, equals)]: jsonOrText(text.slice(equals + 1)) };
}

/** Numbers stay text: the service reads decimals exactly from text. */
function jsonOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' ? text : value;
  } catch {
    return text;
  }
}
