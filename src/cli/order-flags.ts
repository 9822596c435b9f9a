import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { choice } from './argument.js';

/** An order as the command line has it. What the flags say is sent as it stands: the service judges it. */
export interface OrderFlags {
  readonly clientOrderId?: string;
  readonly exchange?: string;
  readonly subaccount?: string;
  readonly symbol?: string;
  readonly category: 'SPOT' | 'FUTURE';
  readonly side?: 'BUY' | 'SELL';
  readonly quantity?: string;
  readonly strategy?: string;
  readonly limitPrice?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly clip?: Clip;
  readonly duration?: string;
  readonly style?: string;
  readonly urgency?: string;
  readonly randomize?: boolean;
  readonly reduceOnly?: boolean;
  readonly postOnly?: boolean;
  readonly triggerAbove?: string;
  readonly triggerBelow?: string;
  readonly wouldPrice?: string;
  readonly wouldPct?: string;
  readonly wouldStyle?: string;
  readonly wouldArrival?: boolean;
  readonly placementMode?: string;
  readonly placeLevel?: string;
  readonly cancelLevel?: string;
  readonly ladderStart?: string;
  readonly ladderEnd?: string;
  readonly ladderDirection?: string;
  readonly ladderProfile?: string;
  readonly sizeSkew?: string;
  /** true: with the service's own threshold. */
  readonly imbalance?: string | true;
  readonly priceLockBps?: string;
  readonly param?: Readonly<Record<string, unknown>>;
}

interface Clip {
  readonly type: string;
  readonly value?: string;
}

export function addOrderFlags(command: Command): Command {
  addTerms(command);
  addWorking(command);
  addConditions(command);
  addLadder(command);
  return command
    .optionsGroup('Everything else:')
    .option('--param <name=value>', 'any other parameter; the value is JSON or plain text; repeatable', parameter);
}

function addTerms(command: Command): void {
  command
    .optionsGroup('The order:')
    .option('--exchange <name>', 'for example BINANCE')
    .option('--symbol <symbol>', 'for example BTC/USDT')
    .addOption(choice('--category <category>', 'kind of instrument', ['SPOT', 'FUTURE']).default('SPOT'))
    .addOption(choice('--side <side>', 'what to do', ['BUY', 'SELL']))
    .option('--quantity <decimal>', 'in base units')
    .option('--strategy <name>', 'TWAP, VWAP, ICEBERG, POV, MARKET, LIMIT, IS, SCALE')
    .option('--limit, --limit-price <decimal>', 'never trade beyond it')
    .option('--start, --start-time <time>', 'ISO 8601, UTC')
    .option('--end, --end-time <time>', 'ISO 8601, UTC')
    .option('--client-order-id <id>', 'your own id; makes the create safe to repeat')
    .option('--subaccount <name>', 'trade under it');
}

function addWorking(command: Command): void {
  command
    .optionsGroup('How it is worked:')
    .option('--duration <seconds>', 'how long to work the order')
    .option('--style <style>', 'PASSIVE, AGGRESSIVE, HYBRID')
    .option('--urgency <urgency>', 'strategy IS: LOW, MEDIUM, HIGH')
    .option('--clip <type:value>', 'size of a child: ABSOLUTE:0.05, PERCENTAGE:10, ORDER_COUNT:20, AUTOMATIC', clip)
    .option('--randomize', 'vary the size of slices')
    .option('--reduce-only', 'futures: never open or flip a position')
    .option('--post-only', 'passive children never cross')
    .option('--placement-mode <mode>', 'DEFAULT, TIGHT, CUSTOM')
    .option('--place-level <n>', 'CUSTOM: book level of new passive children, 1 is the best')
    .option('--cancel-level <n>', 'CUSTOM: book level at which a resting child is cancelled');
}

function addConditions(command: Command): void {
  command
    .optionsGroup('When it starts, and what it minds:')
    .addOption(new Option('--trigger-above <price>', 'start when the last price is there').conflicts('triggerBelow'))
    .addOption(new Option('--trigger-below <price>', 'start when the last price is there').conflicts('triggerAbove'))
    .option('--would-price <price>', 'do a part at once when the price is this good')
    .option('--would-arrival', 'the same with the arrival price')
    .option('--would-pct <percent>', "how much of the order's quantity")
    .option('--would-style <style>', 'PASSIVE, AGGRESSIVE, HYBRID')
    .option('--price-lock-bps <n>', 'take the rest when the market is so much better than at arrival')
    .option('--imbalance [threshold]', 'withdraw resting children while the book leans against them: 0.5 to 0.99');
}

function addLadder(command: Command): void {
  command
    .optionsGroup('Ladder:')
    .option('--ladder-start <price>', 'SCALE, ICEBERG: first price of the ladder')
    .option('--ladder-end <price>', 'last price of the ladder')
    .option('--ladder-direction <direction>', 'UPWARDS, DOWNWARDS')
    .option('--ladder-profile <profile>', 'LINEAR')
    .option('--size-skew <number>', 'size at the last price ÷ size at the first');
}

function clip(text: string): Clip {
  const [type = '', value, ...more] = text.split(':');
  if (type === '' || value === '' || more.length > 0) throw new InvalidArgumentError('not of the form TYPE:VALUE');
  return value === undefined ? { type } : { type, value };
}

function parameter(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
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
