import type { Command } from 'commander';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory } from '../context.js';
import type { Output } from '../output.js';
import type { Identity } from '../../runtime/identity.js';
import type { AccountId } from '../../domain/ids.js';
import { RECONCILE_CHECK_MS } from '../../domain/limits/trading.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import { type TradingState, tradingStateOf } from '../../domain/trading-state.js';
import type { ReconciliationReport, RestoreRecord } from '../../domain/restore.js';
import { audit, granted, type DataDirectory, withExisting } from './data-directory.js';
import { engagedSwitches, type EngagedSwitch, engagedByText, printedSwitch } from './kill-switch.js';
import { type ShownQuarantine, storedQuarantined } from './quarantine.js';

interface Options {
  readonly account?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const HELP = `${examples('sluice trading status', 'sluice trading resume', 'sluice trading resume --account desk')}

After a restore the service starts halted. It compares each open order with its exchanges and places nothing before you
resume trading. An engaged kill switch also stops orders: see "sluice kill-switch". A full disk halts the running service:
/status/health shows that too. SLUICE_DATA_DIR is the data directory (./data). A running service reads a change at once.`;

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
    .action(async ({ json }: Options) => print(context, granted(await tradingStatus(dataDirectory(context))), json));
  withReason(trading.command('resume'))
    .description('resume trading after the reconciliation')
    .option('--account <name>', 'only this account')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ account, reason, json }: Options) =>
      print(context, granted(await resumeTrading(dataDirectory(context, reason), account)), json),
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
  { state, isHalted, restore, report, suspendedKeys, killSwitches }: ShownTrading,
): void {
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

function haltOf(killSwitch: EngagedSwitch): string {
  const { account, engagedAtMs } = killSwitch;
  const engaged = `was engaged by ${engagedByText(killSwitch)} at ${new Date(engagedAtMs).toISOString()}.`;
  return account === null
    ? `Trading is halted: the kill switch of the whole service ${engaged}`
    : `Trading of account ${account} is halted: its kill switch ${engaged}`;
}

function printed({
  state,
  restore,
  report,
  suspendedKeys,
  quarantined,
  killSwitches,
}: ShownTrading): Record<string, unknown> {
  return {
    state,
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

/** State of trading: restore, reconciliation and kill switches. */
export interface ShownTrading {
  readonly state: TradingState;
  /** By the restore. */
  readonly isHalted: boolean;
  readonly killSwitches: readonly EngagedSwitch[];
  /** null: the directory was never restored. */
  readonly restore: RestoreRecord | null;
  /** null: the reconciliation has not begun. */
  readonly report: ReconciliationReport | null;
  readonly suspendedKeys: number;
  /** Open orders that place nothing, independent of the halt. */
  readonly quarantined: readonly ShownQuarantine[];
}

export function tradingStatus(data: DataDirectory): Promise<OrRejection<ShownTrading>> {
  return withExisting(data, (identity) => withQuarantined(data, identity));
}

/**
 * Ends the halt after a restore for one account or for all. Refuses while the reconciliation is incomplete, because an
 * order that was not compared with its exchange could trade twice. The message lists the open points.
 */
export async function resumeTrading(data: DataDirectory, account?: string): Promise<OrRejection<ShownTrading>> {
  const result = await withExisting(
    data,
    (identity): OrRejection<ShownTrading> | Promise<OrRejection<ShownTrading>> => {
      const { restore, report } = shown(identity);
      if (restore === null || !restore.isHalted) return reject('INVALID_REQUEST', 'trading is not halted by a restore');
      if (report === null || report.epoch !== restore.epoch || !hasBegun(report)) {
        return reject(
          'SYSTEM_BUSY',
          'the reconciliation has not begun: start the service and follow it with sluice trading status',
        );
      }
      const waiting = waitingOf(report, account);
      if (waiting.length > 0) return reject('SYSTEM_BUSY', `the reconciliation waits for ${waiting.join('; ')}`);
      const isKnown = [...report.accounts.map((one) => one.account), ...restore.exempt].some((one) => one === account);
      if (account !== undefined && !isKnown) {
        return reject('INVALID_REQUEST', `account ${account} has no key and no open order: it is not reconciled`);
      }
      audit(data, 'trading.resume', account === undefined ? { scope: 'SERVICE' } : { account });
      identity.trading.resume((account as AccountId | undefined) ?? null);
      return withQuarantined(data, identity);
    },
  );
  // A running service has read the change by then.
  if (!isRejected(result)) await new Promise((resolve) => setTimeout(resolve, 2 * RECONCILE_CHECK_MS));
  return result;
}

/** False until the service is ready: it has not named the accounts to reconcile yet. */
function hasBegun({ isComplete, accounts }: ReconciliationReport): boolean {
  return isComplete || accounts.length > 0;
}

/** Open points of the reconciliation, one text an account. */
function waitingOf(report: ReconciliationReport, account?: string): string[] {
  return report.accounts
    .filter((one) => !one.isComplete && (account === undefined || one.account === account))
    .map(({ account: name, openOrders, waitingOrders, waitingVenues }) => {
      const venues = waitingVenues.map(({ venue, why }) => `${venue} (${why})`);
      const orders = waitingOrders > 0 ? [`${waitingOrders} of ${openOrders} orders`] : [];
      return `account ${name}: ${[...orders, ...venues].join(', ') || 'its orders'}`;
    });
}

async function withQuarantined({ path }: DataDirectory, identity: Identity): Promise<ShownTrading> {
  return { ...shown(identity), quarantined: await storedQuarantined(path, identity) };
}

function shown({ trading, keys, riskLimits }: Identity): Omit<ShownTrading, 'quarantined'> {
  const restore = trading.restore();
  const isHalted = restore?.isHalted ?? false;
  const killSwitches = engagedSwitches({ riskLimits });
  const isStopped = killSwitches.some(({ account }) => account === null);
  const suspendedKeys = keys
    .list()
    .filter(({ suspendedAtMs, revokedAtMs }) => suspendedAtMs !== null && revokedAtMs === null);
  return {
    state: tradingStateOf(isHalted, isStopped, killSwitches.length),
    isHalted,
    killSwitches,
    restore,
    report: trading.report(),
    suspendedKeys: suspendedKeys.length,
  };
}
