import type { Command } from 'commander';
import type { Balance } from '../client/index.js';
import { withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { number } from './order-table.js';
import type { Column } from './table.js';

export function addBalancesCommand(program: Command, context: CommandContext): void {
  program
    .command('balances')
    .description("the account's balances above zero")
    .option('--exchange <name>', 'where', 'BINANCE')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice balances --exchange BINANCE', 'sluice balances --exchange OKX --json'))
    .action((options: { exchange: string; json?: boolean }) =>
      withClient(context, async (client) => {
        const rows = await client.balances(options.exchange);
        context.output.show({ columns: COLUMNS, rows, empty: 'No balances.', json: rows }, options.json);
      }),
    );
}

const COLUMNS: readonly Column<Balance>[] = [
  { title: 'ASSET', text: (entry) => entry.symbol },
  { title: 'BALANCE', text: (entry) => number(entry.balance), align: 'RIGHT' },
  { title: 'FREE', text: (entry) => number(entry.free), align: 'RIGHT' },
];
