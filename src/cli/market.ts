import type { Command } from 'commander';
import type { Exchange, Instrument, MarketFilter } from '../client/index.js';
import { withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { number } from './order-table.js';
import type { Column } from './table.js';

/** What can be traded, and where. */

interface JsonOption {
  readonly json?: boolean;
}

export function addMarketCommands(program: Command, context: CommandContext): void {
  addExchanges(program, context);
  addInstruments(program, context);
}

function addExchanges(program: Command, context: CommandContext): void {
  program
    .command('exchanges')
    .description('exchanges, and whether they can be reached')
    .option('--all', 'also those that only list instruments')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice exchanges', 'sluice exchanges --all --json'))
    .action(({ all, json }: JsonOption & { readonly all?: boolean }) =>
      withClient(context, async (client) => {
        const rows = await client.exchanges({ all });
        context.output.show({ columns: EXCHANGE_COLUMNS, rows, empty: 'No exchanges.', json: rows }, json);
      }),
    );
}

function addInstruments(program: Command, context: CommandContext): void {
  program
    .command('instruments')
    .description('what can be traded, with the grid and the limits of orders')
    .option('--exchange <name>', 'only there')
    .option('--symbol <symbol>', 'only this one, for example BTC/USDT, or BTC/USDT:USDT for the perpetual')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice instruments --exchange OKX', 'sluice instruments --symbol BTC/USDT --json'))
    .action(({ json, ...filter }: JsonOption & MarketFilter) =>
      withClient(context, async (client) => {
        const rows = await client.instruments(filter);
        context.output.show({ columns: INSTRUMENT_COLUMNS, rows, empty: 'No instruments.', json: rows }, json);
      }),
    );
}

const EXCHANGE_COLUMNS: readonly Column<Exchange>[] = [
  { title: 'ID', text: (entry) => String(entry.id), align: 'RIGHT' },
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'NAME', text: (entry) => entry.name },
  { title: 'LISTS', text: (entry) => entry.asset_classes.join(',') },
  { title: 'TRADABLE', text: (entry) => (entry.tradable ? 'yes' : 'no') },
  { title: 'MODE', text: (entry) => entry.mode },
  { title: 'STATUS', text: (entry) => entry.status },
];

const INSTRUMENT_COLUMNS: readonly Column<Instrument>[] = [
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'SYMBOL', text: (entry) => entry.symbol },
  { title: 'CLASS', text: (entry) => entry.assetClass },
  { title: 'LOT DIGITS', text: (entry) => String(entry.quantityPrecision), align: 'RIGHT' },
  { title: 'TICK DIGITS', text: (entry) => String(entry.pricePrecision), align: 'RIGHT' },
  { title: 'QUANTITY', text: (entry) => `${number(entry.minQuantityLimit)} to ${number(entry.maxQuantityLimit)}` },
  { title: 'MIN COST', text: (entry) => number(entry.minCostLimit), align: 'RIGHT' },
  { title: 'ENABLED', text: (entry) => (entry.enabled ? 'yes' : 'no') },
];
