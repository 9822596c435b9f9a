import type { Command } from 'commander';
import type { OrderAmendment, OrderRef, OrderSummary, SluiceClient } from '../client/index.js';
import { choice, positiveInteger } from './argument.js';
import { CommandFailure, UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { refusal, showSummaries } from './order-summary.js';

interface NameOptions {
  readonly clientOrderId?: string;
  readonly json?: boolean;
}

interface AmendOptions extends NameOptions {
  readonly quantity?: string;
  readonly limitPrice?: string;
  readonly endTime?: string;
  readonly duration?: string;
  readonly style?: 'PASSIVE' | 'HYBRID' | 'AGGRESSIVE';
  readonly urgency?: 'LOW' | 'MEDIUM' | 'HIGH';
  readonly priceLockBps?: string;
  readonly maxUnhedgedValue?: string;
  readonly maxUnhedgedSeconds?: string;
  readonly hedgeSlippageBps?: string;
}

const NAME = 'name it by your own id';

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
  asking('pause', 'withdraw what an order has in the book, and place nothing until it is resumed');
  asking('resume', 'work a paused order again: what is left in the time that is left');
  addAmendCommand(order, context);
}

function addAmendCommand(order: Command, context: CommandContext): void {
  order
    .command('amend')
    .description('change the terms of an order that is under way, or paused')
    .argument('[order_id]', 'the order', positiveInteger)
    .option('--client-order-id <id>', NAME)
    .option('--quantity <decimal>', 'the whole quantity from now on')
    .option('--limit-price <decimal>', 'the worst price from now on')
    .option('--end-time <instant>', 'when trading ends from now on, ISO 8601 with Z')
    .option('--duration <seconds>', 'the whole duration, counted from the start')
    .addOption(choice('--style <style>', 'how it trades', ['PASSIVE', 'HYBRID', 'AGGRESSIVE']))
    .addOption(choice('--urgency <urgency>', 'of strategy IS', ['LOW', 'MEDIUM', 'HIGH']))
    .option('--price-lock-bps <integer>', 'so much better than at arrival, all is taken at once')
    .option('--max-unhedged-value <decimal>', 'of a pair: how much its leading leg may be ahead')
    .option('--max-unhedged-seconds <seconds>', 'of a pair: how long it may be')
    .option('--hedge-slippage-bps <integer>', 'of a pair: how far a hedge may cross')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('sluice order amend 4711 --quantity 0.75', 'sluice order amend 4711 --duration 1200'),
    )
    .action((id: number | undefined, options: AmendOptions = {}) =>
      withClient(context, (client) => amend(context, client, { ...refOf(id, options), ...termsOf(options) }, options)),
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

function termsOf(options: AmendOptions): Omit<OrderAmendment, 'order_id' | 'client_order_id'> {
  const { quantity, limitPrice, endTime, duration, style, urgency, priceLockBps } = options;
  const params = {
    duration_seconds: duration,
    trading_style: style,
    urgency,
    price_lock_bps: priceLockBps,
    max_unhedged_value: options.maxUnhedgedValue,
    max_unhedged_seconds: options.maxUnhedgedSeconds,
    hedge_slippage_bps: options.hedgeSlippageBps,
  };
  const hasParams = Object.values(params).some((value) => value !== undefined);
  return { quantity, limit_price: limitPrice, end_time: endTime, params: hasParams ? params : undefined };
}

function refOf(id: number | undefined, { clientOrderId }: NameOptions): OrderRef {
  if (id !== undefined) return { order_id: id, client_order_id: clientOrderId };
  if (clientOrderId !== undefined) return { client_order_id: clientOrderId };
  throw new UsageError('name the order by its id or --client-order-id');
}

function show(context: CommandContext, summary: OrderSummary, { json }: NameOptions): void {
  showSummaries(context, summary, json);
  if (summary.error_code !== undefined) throw new CommandFailure(refusal(summary));
}
