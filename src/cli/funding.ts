import type { Command } from 'commander';
import type { FundingRate, SluiceClient } from '../client/index.js';
import { UsageError, withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import type { Column } from './table.js';

interface FundingOptions {
  readonly exchange?: string;
  readonly symbol?: string;
  readonly history?: boolean;
  readonly json?: boolean;
}

export function addFundingCommand(program: Command, context: CommandContext): void {
  program
    .command('funding')
    .description('what futures pay: last and next, or all of the past month with --history')
    .option('--exchange <name>', 'only there')
    .option('--symbol <symbol>', 'only this one, for example BTC/USDT')
    .option('--history', 'what one future has paid; needs --exchange and --symbol')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('sluice funding --symbol BTC/USDT', 'sluice funding --history --exchange OKX --symbol BTC/USDT --json'),
    )
    .action((options: FundingOptions) =>
      withClient(context, async (client) => {
        const rows = await ratesOf(client, options);
        context.output.show({ columns: COLUMNS, rows, empty: 'No funding rates.', json: rows }, options.json);
      }),
    );
}

function ratesOf(client: SluiceClient, { exchange, symbol, history }: FundingOptions): Promise<readonly FundingRate[]> {
  if (history !== true) return client.lastFundingRates({ exchange, symbol });
  if (exchange === undefined || symbol === undefined) throw new UsageError('--history needs --exchange and --symbol');
  return client.fundingRateHistory(exchange, symbol);
}

const COLUMNS: readonly Column<FundingRate>[] = [
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'SYMBOL', text: (entry) => entry.symbol },
  { title: 'TIME', text: (entry) => entry.time },
  { title: 'RATE', text: (entry) => percent(entry.rate), align: 'RIGHT' },
  { title: 'NEXT', text: (entry) => (entry.nextRate === undefined ? '' : percent(entry.nextRate)), align: 'RIGHT' },
  { title: 'MARK', text: (entry) => String(entry.markPrice ?? ''), align: 'RIGHT' },
];

/** Rates are multiples of 10^-6. */
function percent(rate: number): string {
  return `${(rate * 100).toFixed(4)} %`;
}
