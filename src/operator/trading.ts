import type { Identity } from '../journal/identity/index.js';
import type { AccountId } from '../model/ids.js';
import { RECONCILE_LOOK_MS } from '../model/limits.js';
import { reject, type OrRejection } from '../model/rejection.js';
import type { ReconciliationReport, RestoreRecord } from '../model/restore.js';
import { withExisting, type DataDirectory } from './data-directory.js';
import { storedQuarantined, type ShownQuarantine } from './quarantine.js';

/** Whether trading is halted after a restore, and what it waits for. */
export interface ShownTrading {
  readonly isHalted: boolean;
  /** null: the directory was never restored. */
  readonly restore: RestoreRecord | null;
  /** null: no service has begun to reconcile it. */
  readonly report: ReconciliationReport | null;
  readonly suspendedKeys: number;
  /** Open orders that place nothing, halt or not. */
  readonly quarantined: readonly ShownQuarantine[];
}

export function tradingStatus(data: DataDirectory): Promise<OrRejection<ShownTrading>> {
  return withExisting(data, (identity) => withQuarantined(data, identity));
}

/**
 * Ends the halt after a restore, of one account or of all. Refused while the reconciliation is not complete, with what
 * it waits for: an order that was not compared with its exchange could trade twice.
 */
export async function resumeTrading(data: DataDirectory, account?: string): Promise<OrRejection<ShownTrading>> {
  const result = await withExisting(
    data,
    (identity): OrRejection<ShownTrading> | Promise<OrRejection<ShownTrading>> => {
      const { restore, report } = shown(identity);
      if (restore === null || !restore.isHalted) return reject('INVALID_PARAM', 'trading is not halted by a restore');
      if (report === null || report.epoch !== restore.epoch) {
        return reject('SYSTEM_BUSY', 'nothing is reconciled yet: start the service and wait for sluice trading status');
      }
      const waiting = waitingOf(report, account);
      if (waiting.length > 0) return reject('SYSTEM_BUSY', `the reconciliation waits for ${waiting.join('; ')}`);
      identity.trading.resume((account as AccountId | undefined) ?? null);
      return withQuarantined(data, identity);
    },
  );
  // A running service has seen it then.
  await new Promise((resolve) => setTimeout(resolve, 2 * RECONCILE_LOOK_MS));
  return result;
}

/** What the reconciliation waits for, one text an account. */
export function waitingOf(report: ReconciliationReport, account?: string): string[] {
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

function shown({ trading, keys }: Identity): Omit<ShownTrading, 'quarantined'> {
  const restore = trading.restore();
  const suspendedKeys = keys
    .list()
    .filter(({ suspendedAtMs, revokedAtMs }) => suspendedAtMs !== null && revokedAtMs === null);
  return {
    isHalted: restore?.isHalted ?? false,
    restore,
    report: trading.report(),
    suspendedKeys: suspendedKeys.length,
  };
}
