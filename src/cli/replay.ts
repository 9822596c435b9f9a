import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext, ReplayReport, ReplayRequest } from './context.js';
import { number } from './order-table.js';

const LATENCY_MS_MAX = 10_000;

const HELP = `
The order file holds the body of a create request: exchange, symbol, side, quantity, strategy, params. The order is placed
when the recorded market is first known; a start_time within the recording starts it later.

Queue models say how an order that waits at a price moves up when others leave: risk-averse believes that they all
waited behind it, probabilistic shares them out by what waits before and behind it.

Example:
  $ sluice replay --data ./recordings --order order.json --latency-ms 5`;

interface ReplayOptions {
  readonly data: string;
  readonly order: string;
  readonly symbol?: string;
  readonly queue: ReplayRequest['queueModel'];
  readonly latencyMs: number;
  readonly rates: string;
  readonly json?: boolean;
}

export function addReplayCommand(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description('work an order on a recorded market and tell what it cost')
    .requiredOption('--data <directory>', 'recordings: snapshot, depth, trades and bookticker as .csv or .csv.gz')
    .requiredOption('--order <file>', 'the order, as it would be sent')
    .option('--symbol <name>', 'part of the name of the recording, when several fit the order')
    .addOption(
      new Option('--queue <model>', 'queue model').choices(['risk-averse', 'probabilistic']).default('risk-averse'),
    )
    .option('--latency-ms <n>', 'one way, each way', latency, 0)
    .option('--rates <rates>', 'requests the exchange takes, as SLUICE_VENUE_RATES: off, listed, 10/1s', 'off')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ data, order, symbol, queue, latencyMs, rates, json }: ReplayOptions) => {
      const report = await context.replays.run({
        dataDir: data,
        orderFile: order,
        symbol: symbol ?? null,
        queueModel: queue,
        latencyMs,
        venueRates: rates,
      });
      if (json === true) context.output.json(report);
      else for (const line of replayLines(report)) context.output.line(line);
    });
}

function latency(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= LATENCY_MS_MAX) return value;
  throw new InvalidArgumentError(`not an integer from 0 to ${LATENCY_MS_MAX}`);
}

/** The report as a person reads it. */
function replayLines(report: ReplayReport): string[] {
  const { side, quantity, symbol, strategy, exchange, status, message } = report;
  const rows: [string, string][] = [
    ['order', `${side} ${number(quantity)} ${symbol} ${strategy} on ${exchange}: ${status}`],
    ...(message === null ? [] : [['because', message] as [string, string]]),
    ['recording', `${report.recording}, ${timeOf(report.start_time)} to ${timeOf(report.end_time)} by its clock`],
    ['filled', `${number(report.filled_quantity)}, ${report.children} children, ${report.fills} fills`],
    ['arrival', `${number(report.arrival_price)}  (mid when it first could trade)`],
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
    ['maker share', percent(report.maker_share)],
    ['participation', percent(report.participation)],
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
  return bps === null ? number(price) : `${number(price)}  (${signed(bps)} bps against it)`;
}

function percent(share: number | null): string {
  return share === null ? 'none' : `${(100 * share).toFixed(1)} %`;
}

function offSchedule({ schedule_deviation: deviation }: ReplayReport): string {
  if (deviation === null) return 'no schedule';
  return `${percent(deviation.largest)} of the order at most, ${percent(deviation.rms)} in the root mean square`;
}

function markoutRow({ horizon_ms: horizonMs, bps, coverage }: ReplayReport['markouts'][number]): [string, string] {
  const part = coverage < 1 ? `, ${percent(coverage)} of the fills` : '';
  return [`after ${horizonMs / 1000} s`, bps === null ? 'none' : `${signed(bps)} bps  (positive is gain${part})`];
}

function signed(bps: number): string {
  return `${bps < 0 ? '' : '+'}${bps.toFixed(2)}`;
}
