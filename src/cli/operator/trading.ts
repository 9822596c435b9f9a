import type { Command } from 'commander';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory, granted } from '../context.js';
import type { Output } from '../output.js';
import { operate } from '../../admin/admin-client.js';
import type { TradingHalt } from '../../domain/command.js';
import type { EngagedSwitch } from '../../admin/kill-switch-operations.js';
import { hasBegun, type ShownTrading, waitingOf } from '../../admin/trading-operations.js';
import { engagedByText, printedSwitch } from './kill-switch.js';

interface Options {
  readonly account?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const HELP = `${examples('sluice trading status', 'sluice trading resume', 'sluice trading resume --account desk')}

After a restore the service starts halted. It compares each open order with its exchanges and places nothing before you
resume trading. An engaged kill switch also stops orders: see "sluice kill-switch". A full disk halts the running service
until there is room. SLUICE_DATA_DIR is the data directory (./data). A running service applies a change at once.`;

/** Adds the commands for the state of trading and the halt after a restore. They work on the data directory. */
export function addTradingCommands(program: Command, context: CommandContext): void {
  const trading = program
    .command('trading')
    .description('whether orders are accepted, and the halt after a restore')
    .addHelpText('after', HELP);
  trading
    .command('status')
    .description('show halts, kill switches and the progress of the reconciliation')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ json }: Options) =>
      print(context, granted(await operate(dataDirectory(context), 'trading.status', {})), json),
    );
  withReason(trading.command('resume'))
    .description('resume trading after the reconciliation')
    .option('--account <name>', 'only this account')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ account, reason, json }: Options) =>
      print(context, granted(await operate(dataDirectory(context, reason), 'trading.resume', { account })), json),
    );
}

function print({ output }: CommandContext, shown: ShownTrading, json: boolean | undefined): void {
  if (json === true) return output.json(printed(shown));
  printHalt(output, shown);
  const { quarantined } = shown;
  if (quarantined.length === 0) return;
  output.line(`Quarantined orders: ${quarantined.length}. See sluice quarantine list`);
  for (const { orderId, account, reason } of quarantined) output.line(`  ${orderId} ${account ?? '?'} ${reason}`);
}

function printHalt(
  output: Output,
  { state, isHalted, halts, restore, report, suspendedKeys, killSwitches }: ShownTrading,
): void {
  for (const halt of halts) output.line(lineOfHalt(halt));
  for (const killSwitch of killSwitches) output.line(haltOf(killSwitch));
  if (state === 'PARTLY_HALTED') output.line('Trading is open for all other accounts.');
  const opening = state === 'OPEN' ? 'Trading is open. ' : '';
  if (restore === null) return output.line(`${opening}The directory was never restored.`);
  const from = new Date(restore.backupAtMs).toISOString();
  output.line(
    isHalted
      ? `Trading is halted: restored from a backup of ${from}.`
      : `${opening}The directory was restored from a backup of ${from}.`,
  );
  if (restore.exempt.length > 0) output.line(`Resumed already: ${restore.exempt.join(', ')}`);
  if (suspendedKeys > 0) output.line(`${suspendedKeys} API keys are suspended: sluice keys confirm`);
  if (report === null || !hasBegun(report)) return output.line('The reconciliation has not begun: start the service.');
  output.line(report.isComplete ? 'Every order is reconciled.' : 'The reconciliation waits for:');
  for (const waiting of waitingOf(report)) output.line(`  ${waiting}`);
  output.line(
    `Children adopted: ${report.adoptedCount}. Orders of unknown parents: ${report.orphanCount}, open: ${report.openOrphanCount}.`,
  );
  for (const { account, venue, clientId, symbol, side, quantity, filled, state } of report.orphans) {
    output.line(`  ${account} ${venue} ${clientId} ${side} ${quantity} ${symbol}, filled ${filled}: ${state}`);
  }
  if (isHalted && report.isComplete) output.line('Resume with: sluice trading resume');
}

function lineOfHalt({ sinceMs, message, only }: TradingHalt): string {
  const whose = only === undefined ? 'Trading' : `Trading of account ${only}`;
  return `${whose} is halted since ${new Date(sinceMs).toISOString()}: ${message}.`;
}

function haltOf(killSwitch: EngagedSwitch): string {
  const { account, engagedAtMs } = killSwitch;
  const engaged = `was engaged by ${engagedByText(killSwitch)} at ${new Date(engagedAtMs).toISOString()}.`;
  return account === null
    ? `Trading is halted: the kill switch of the whole service ${engaged}`
    : `Trading of account ${account} is halted: its kill switch ${engaged}`;
}

function printed({
  state,
  halts,
  restore,
  report,
  suspendedKeys,
  quarantined,
  killSwitches,
}: ShownTrading): Record<string, unknown> {
  return {
    state,
    halts: halts.map(({ reason, sinceMs, message, only }) => ({
      reason,
      since: new Date(sinceMs).toISOString(),
      message,
      account: only ?? null,
    })),
    kill_switches: killSwitches.map(printedSwitch),
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
