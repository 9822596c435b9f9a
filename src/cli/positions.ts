import type { Command } from 'commander';
import type { Position } from '../client/index.js';
import { withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { number } from './order-table.js';
import type { Column } from './table.js';

export function addPositionsCommand(program: Command, context: CommandContext): void {
  program
    .command('positions')
    .description("the account's open positions")
    .option('--exchange <name>', 'where', 'BINANCE')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice positions --exchange BINANCE', 'sluice positions --exchange OKX --json'))
    .action((options: { exchange: string; json?: boolean }) =>
      withClient(context, async (client) => {
        const rows = await client.positions(options.exchange);
        context.output.show({ columns: COLUMNS, rows, empty: 'No positions.', json: rows }, options.json);
      }),
    );
}

const COLUMNS: readonly Column<Position>[] = [
  { title: 'SYMBOL', text: (entry) => entry.symbol },
  { title: 'SIDE', text: (entry) => entry.side },
  { title: 'CONTRACTS', text: (entry) => number(entry.contracts), align: 'RIGHT' },
  { title: 'ENTRY', text: (entry) => number(entry.entryPrice), align: 'RIGHT' },
  { title: 'MARK', text: (entry) => number(entry.markPrice), align: 'RIGHT' },
  { title: 'PNL', text: (entry) => number(entry.unrealizedPnl, 2), align: 'RIGHT' },
  { title: 'NOTIONAL', text: (entry) => number(entry.notional, 2), align: 'RIGHT' },
  { title: 'COLLATERAL', text: (entry) => number(entry.collateral, 2), align: 'RIGHT' },
  { title: 'LEVERAGE', text: (entry) => number(entry.leverage), align: 'RIGHT' },
  { title: 'LIQUIDATION', text: (entry) => number(entry.liquidationPrice), align: 'RIGHT' },
  { title: 'MARGIN', text: (entry) => entry.marginMode },
];
