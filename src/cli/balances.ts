import type { Command } from 'commander';
import { withClient } from './context.js';
import type { CommandContext } from './context.js';
import { BALANCE_COLUMNS } from './order-table.js';

export function addBalancesCommand(program: Command, context: CommandContext): void {
  program
    .command('balances')
    .description("the account's balances above zero")
    .option('--exchange <name>', 'where', 'BINANCE')
    .option('--json', 'print JSON')
    .action((options: { exchange: string; json?: boolean }) =>
      withClient(context, async (client) => {
        const rows = await client.balances(options.exchange);
        context.output.show({ columns: BALANCE_COLUMNS, rows, empty: 'No balances.', json: rows }, options.json);
      }),
    );
}
