import type { BacktestRequest, BacktestReport } from './port.js';
import { number, percent } from './output.js';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { isRejected } from '../domain/rejection.js';
import { CommandFailure, type CommandContext, UsageError } from './context.js';

const LATENCY_MS_MAX = 10_000;

const HELP = `
The order file contains the body of a create request: exchange, symbol, side, quantity, strategy, params. The order is
placed when the recorded market is first known. A start_time within the recording starts it later.

The queue model decides how a resting order advances when quantity leaves its price level. risk-averse assumes that all
of it left from positions after the order. probabilistic divides it by the quantities before and after the order.

A damaged file is refused with its line and column, and nothing is reported: exit status 2.

Example:
  $ sluice backtest --data ./recordings --order order.json --latency-ms 5`;

interface BacktestOptions {
  readonly data: string;
  readonly order: string;
  readonly symbol?: string;
  readonly queue: BacktestRequest['queueModel'];
  readonly latencyMs: number;
  readonly rates: string;
  readonly json?: boolean;
}

export function addBacktestCommand(program: Command, context: CommandContext): void {
  program
    .command('backtest')
    .alias('replay')
    .description('execute an order on a recorded market and report its cost')
    .requiredOption('--data <directory>', 'recordings: snapshot, depth, trades and bookticker as .csv or .csv.gz')
    .requiredOption('--order <file>', 'body of the create request')
    .option('--symbol <name>', 'part of the name of the recording, if several fit the order')
    .addOption(
      new Option('--queue <model>', 'queue model').choices(['risk-averse', 'probabilistic']).default('risk-averse'),
    )
    .option('--latency-ms <n>', 'latency in each direction', latency, 0)
    .option('--rates <rates>', 'request rates of the exchange, as SLUICE_VENUE_RATES: off, listed, 10/1s', 'off')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ data, order, symbol, queue, latencyMs, rates, json }: BacktestOptions) => {
      const report = await context.backtests.run({
        dataDir: data,
        orderFile: order,
        symbol: symbol ?? null,
        queueModel: queue,
        latencyMs,
        venueRates: rates,
      });
      if (isRejected(report)) {
        const { code, message } = report.rejection;
        throw new (code === 'INVALID_REQUEST' ? UsageError : CommandFailure)(`${code}: ${message}`);
      }
      if (json === true) context.output.json(report);
      else for (const line of reportLines(report)) context.output.line(line);
    });
}

function latency(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= LATENCY_MS_MAX) return value;
  throw new InvalidArgumentError(`not an integer from 0 to ${LATENCY_MS_MAX}`);
}

/** Formats the report as text. */
function reportLines(report: BacktestReport): string[] {
  const { side, quantity, symbol, strategy, exchange, status, message } = report;
  const rows: [string, string][] = [
    ['order', `${side} ${number(quantity)} ${symbol} ${strategy} on ${exchange}: ${status}`],
    ...(message === null ? [] : [['because', message] as [string, string]]),
    ['recording', `${report.recording}, ${timeOf(report.start_time)} to ${timeOf(report.end_time)} by its clock`],
    ['filled', `${number(report.filled_quantity)}, ${report.children} children, ${report.fills} fills`],
    ['arrival', `${number(report.arrival_price)}  (mid when the order could first trade)`],
    ['average', priced(report.average_price, null)],
    ['slippage', cost(report.arrival_slippage_bps)],
    [
      'fees',
      `${number(report.fees)} ${report.fee_currency}${report.fees_bps === null ? '' : `  (${report.fees_bps.toFixed(2)} bps)`}`,
    ],
    ['shortfall', cost(report.implementation_shortfall_bps)],
    ['market VWAP', priced(report.market_vwap, report.vwap_slippage_bps)],
    ['with own fills', priced(report.market_vwap_with_own, report.vwap_with_own_slippage_bps)],
    ['TWAP', priced(report.twap_price, report.twap_slippage_bps)],
    ['maker share', percent(report.maker_share, 1, 'none')],
    ['participation', percent(report.participation, 1, 'none')],
    ['off schedule', offSchedule(report)],
    ...report.markouts.map((markout): [string, string] => markoutRow(markout)),
  ];
  return ['Cost report', ...rows.map(([name, value]) => `  ${name.padEnd(15)} ${value}`)];
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice('2024-08-08T'.length);
}

function cost(bps: number | null): string {
  return bps === null ? 'none' : `${signed(bps)} bps  (positive is cost)`;
}

function priced(price: number | null, bps: number | null): string {
  if (price === null) return 'none';
  return bps === null ? number(price) : `${number(price)}  (${signed(bps)} bps)`;
}

function offSchedule({ schedule_deviation: deviation }: BacktestReport): string {
  if (deviation === null) return 'no schedule';
  return `${percent(deviation.largest)} of the order at most, ${percent(deviation.rms)} root mean square`;
}

function markoutRow({ horizon_ms: horizonMs, bps, coverage }: BacktestReport['markouts'][number]): [string, string] {
  const part = coverage < 1 ? `, ${percent(coverage)} of the fills` : '';
  return [`after ${horizonMs / 1000} s`, bps === null ? 'none' : `${signed(bps)} bps  (positive is gain${part})`];
}

function signed(bps: number): string {
  return `${bps < 0 ? '' : '+'}${bps.toFixed(2)}`;
}
