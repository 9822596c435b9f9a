import type { Command } from 'commander';
import { resumeTrading, tradingStatus, waitingOf, type ShownTrading } from '../operator/trading.js';
import { dataDirectory } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { granted } from './granted.js';
import type { Output } from './output.js';

interface Options {
  readonly account?: string;
  readonly json?: boolean;
}

const HELP = `${examples('sluice trading status', 'sluice trading resume', 'sluice trading resume --account desk')}

After a restore the service starts halted: it compares every open order with its exchanges, and nothing is placed
before you resume trading. SLUICE_DATA_DIR names the data directory (./data); a running service takes it up at once.`;

/** The commands that show and end the halt after a restore. They work on the data directory itself. */
export function addTradingCommands(program: Command, context: CommandContext): void {
  const trading = program.command('trading').description('the halt after a restore').addHelpText('after', HELP);
  trading
    .command('status')
    .description('show what the reconciliation waits for')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ json }: Options) => print(context, granted(await tradingStatus(dataDirectory(context))), json));
  trading
    .command('resume')
    .description('let trading go on, once everything is reconciled')
    .option('--account <name>', 'of one account')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ account, json }: Options) =>
      print(context, granted(await resumeTrading(dataDirectory(context), account)), json),
    );
}

function print({ output }: CommandContext, shown: ShownTrading, json: boolean | undefined): void {
  if (json === true) return output.json(printed(shown));
  printHalt(output, shown);
  const { quarantined } = shown;
  if (quarantined.length === 0) return;
  output.line(`Orders that are quarantined and place nothing: ${quarantined.length}. See sluice quarantine list`);
  for (const { orderId, account, reason } of quarantined) output.line(`  ${orderId} ${account ?? '?'} ${reason}`);
}

function printHalt(output: Output, { isHalted, restore, report, suspendedKeys }: ShownTrading): void {
  if (restore === null) return output.line('Trading is open; the directory was never restored.');
  const from = new Date(restore.backupAtMs).toISOString();
  output.line(
    isHalted ? `Trading is halted: restored from a backup of ${from}.` : `Trading is open; restored from ${from}.`,
  );
  if (restore.exempt.length > 0) output.line(`Resumed already: ${restore.exempt.join(', ')}`);
  if (suspendedKeys > 0) output.line(`${suspendedKeys} API keys are suspended: sluice keys confirm`);
  if (report === null) return output.line('Nothing is reconciled yet: start the service.');
  output.line(report.isComplete ? 'Every order is reconciled.' : 'The reconciliation waits:');
  for (const waiting of waitingOf(report)) output.line(`  ${waiting}`);
  output.line(
    `Children adopted: ${report.adoptedCount}. Orders of unknown parents: ${report.orphanCount}, open: ${report.openOrphanCount}.`,
  );
  for (const { account, venue, clientId, symbol, side, quantity, filled, state } of report.orphans) {
    output.line(`  ${account} ${venue} ${clientId} ${side} ${quantity} ${symbol}, filled ${filled}: ${state}`);
  }
  if (isHalted && report.isComplete) output.line('Go on with: sluice trading resume');
}

function printed({ isHalted, restore, report, suspendedKeys, quarantined }: ShownTrading): Record<string, unknown> {
  return {
    state: isHalted ? 'HALTED' : 'OPEN',
    suspended_keys: suspendedKeys,
    quarantined: quarantined.map(({ orderId, account, reason }) => ({ order_id: orderId, account, reason })),
    restored:
      restore === null ? null : { backup_at: new Date(restore.backupAtMs).toISOString(), resumed: restore.exempt },
    reconciliation:
      report === null
        ? null
        : {
            complete: report.isComplete,
            adopted: report.adoptedCount,
            orphans: { count: report.orphanCount, open: report.openOrphanCount, orders: report.orphans },
            accounts: report.accounts.map((one) => ({
              account: one.account,
              complete: one.isComplete,
              open_orders: one.openOrders,
              waiting_orders: one.waitingOrders,
              waiting_exchanges: one.waitingVenues.map(({ venue, why }) => ({ exchange: venue, why })),
            })),
          },
  };
}
