import type { TradingHalt } from '../domain/command.js';
import type { AccountId } from '../domain/ids.js';
import { type OrRejection, reject } from '../domain/rejection.js';
import type { ReconciliationReport, RestoreRecord } from '../domain/restore.js';
import { type TradingState, tradingStateOf } from '../domain/trading-state.js';
import { type AdminSite, audit } from './admin-site.js';
import { engagedSwitches, type EngagedSwitch } from './kill-switch-operations.js';
import { listQuarantined, type ShownQuarantine } from './quarantine-operations.js';

/** State of trading: halts, restore, reconciliation and kill switches. */
export interface ShownTrading {
  readonly state: TradingState;
  /** By the restore. */
  readonly isHalted: boolean;
  /** Other halts of the running service, such as that of a full disk. */
  readonly halts: readonly TradingHalt[];
  readonly killSwitches: readonly EngagedSwitch[];
  /** null: the directory was never restored. */
  readonly restore: RestoreRecord | null;
  /** null: the reconciliation has not begun. */
  readonly report: ReconciliationReport | null;
  readonly suspendedKeys: number;
  /** Open orders that place nothing, independent of the halt. */
  readonly quarantined: readonly ShownQuarantine[];
}

/** The halt after a restore, as the state of trading counts it. It concerns more than one account. */
const OF_RESTORE = {};

export function tradingStatus(site: AdminSite): Promise<ShownTrading> {
  return withQuarantined(site);
}

/**
 * Ends the halt after a restore for one account or for all. Refuses while the reconciliation is incomplete, because an
 * order that was not compared with its exchange could trade twice. The message lists the open points.
 */
export async function resumeTrading(
  site: AdminSite,
  { account }: { readonly account?: string | undefined },
): Promise<OrRejection<ShownTrading>> {
  const { identity } = site;
  const { restore, report } = shown(site);
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
  audit(site, 'trading.resume', account === undefined ? { scope: 'SERVICE' } : { account });
  identity.trading.resume((account as AccountId | undefined) ?? null);
  return withQuarantined(site);
}

/** False until the service is ready: it has not named the accounts to reconcile yet. */
export function hasBegun({ isComplete, accounts }: ReconciliationReport): boolean {
  return isComplete || accounts.length > 0;
}

/** Open points of the reconciliation, one text an account. */
export function waitingOf(report: ReconciliationReport, account?: string): string[] {
  return report.accounts
    .filter((one) => !one.isComplete && (account === undefined || one.account === account))
    .map(({ account: name, openOrders, waitingOrders, waitingVenues }) => {
      const venues = waitingVenues.map(({ venue, why }) => `${venue} (${why})`);
      const orders = waitingOrders > 0 ? [`${waitingOrders} of ${openOrders} orders`] : [];
      return `account ${name}: ${[...orders, ...venues].join(', ') || 'its orders'}`;
    });
}

async function withQuarantined(site: AdminSite): Promise<ShownTrading> {
  return { ...shown(site), quarantined: await listQuarantined(site) };
}

function shown({ identity, halts: all }: AdminSite): Omit<ShownTrading, 'quarantined'> {
  const { trading, keys, riskLimits } = identity;
  const restore = trading.restore();
  const isHalted = restore?.isHalted ?? false;
  const halts = all.filter(({ reason }) => reason !== 'RESTORED');
  const killSwitches = engagedSwitches({ riskLimits });
  const isStopped = killSwitches.some(({ account }) => account === null);
  const suspendedKeys = keys
    .list()
    .filter(({ suspendedAtMs, revokedAtMs }) => suspendedAtMs !== null && revokedAtMs === null);
  return {
    state: tradingStateOf(isHalted ? [...halts, OF_RESTORE] : halts, isStopped, killSwitches.length),
    isHalted,
    halts,
    killSwitches,
    restore,
    report: trading.report(),
    suspendedKeys: suspendedKeys.length,
  };
}
