import type { AccountId } from '../domain/ids.js';
import type { EngagedKillSwitch, KillSwitchScope } from '../domain/risk-limit.js';
import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import type { Identity, StoredKillSwitch } from '../runtime/identity.js';
import { AuditFailure } from '../storage/audit-log.js';
import { type AdminSite, audit, operatorName } from './admin-site.js';

/** Scope of a kill switch: one account or the whole service. */
export interface ScopeName {
  readonly account?: string | undefined;
  readonly all?: boolean | undefined;
}

/** An engaged kill switch. */
export interface EngagedSwitch {
  /** null: the whole service. */
  readonly account: string | null;
  /** Real time, epoch milliseconds. */
  readonly engagedAtMs: number;
  readonly engagedBy: EngagedKillSwitch['by'];
  /** The operator's user, or the id of the API key. null: an earlier release stored the switch. */
  readonly who: string | null;
}

interface EngagedSwitches {
  readonly switches: readonly EngagedSwitch[];
  /** Why the audit log has no line; null: it has one. */
  readonly warning: string | null;
}

/**
 * Engages a kill switch. Durable on resolve. The service refuses new orders at once and cancels open ones. An audit log
 * that cannot be written does not keep an operator from halting trading: the result has the failure.
 */
export async function engageKillSwitch(site: AdminSite, name: ScopeName): Promise<OrRejection<EngagedSwitches>> {
  const { identity } = site;
  const scope = scopeOf(identity, name);
  if (isRejected(scope)) return scope;
  let warning: string | null = null;
  try {
    audit(site, 'kill-switch.engage', subjectOf(scope));
  } catch (error) {
    if (!(error instanceof AuditFailure)) throw error;
    warning = error.message;
  }
  const engaged = { engagedAtMs: Date.now(), by: 'OPERATOR', who: operatorName(site.by) } as const;
  await new Promise<void>((resolve) => {
    identity.riskLimits.engage(scope, engaged, resolve);
  });
  return { switches: engagedSwitches(identity), warning };
}

/** Releases a kill switch. Durable on return. Returns the switches that are still engaged. */
export function releaseKillSwitch(site: AdminSite, name: ScopeName): OrRejection<readonly EngagedSwitch[]> {
  const { identity } = site;
  const scope = scopeOf(identity, name);
  if (isRejected(scope)) return scope;
  if (isEngaged(identity, scope)) audit(site, 'kill-switch.release', subjectOf(scope));
  if (identity.riskLimits.release(scope)) return engagedSwitches(identity);
  const whose = scope.kind === 'service' ? 'of the whole service' : `of account ${scope.account}`;
  return reject('INVALID_REQUEST', `the kill switch ${whose} is not engaged`);
}

export function engagedSwitches({ riskLimits }: Pick<Identity, 'riskLimits'>): readonly EngagedSwitch[] {
  return riskLimits
    .rows()
    .filter((row) => row.kind === 'killSwitch')
    .map(shown);
}

function isEngaged(identity: Identity, scope: KillSwitchScope): boolean {
  const account = scope.kind === 'account' ? scope.account : null;
  return engagedSwitches(identity).some((one) => one.account === account);
}

function subjectOf(scope: KillSwitchScope): Readonly<Record<string, unknown>> {
  return scope.kind === 'account' ? { account: scope.account } : { scope: 'SERVICE' };
}

function shown({ scope, engaged }: StoredKillSwitch): EngagedSwitch {
  const account = scope.kind === 'account' ? scope.account : null;
  return { account, engagedAtMs: engaged.engagedAtMs, engagedBy: engaged.by, who: engaged.who ?? null };
}

/** Reads the scope. Refuses an account without API key, because a switch on a mistyped name would halt nothing. */
function scopeOf({ keys }: Identity, { account, all = false }: ScopeName): OrRejection<KillSwitchScope> {
  if ((account === undefined) === !all) return reject('INVALID_PARAM', 'give either an account or --all');
  if (account === undefined) return { kind: 'service' };
  if (keys.list().some((key) => key.account === account)) return { kind: 'account', account: account as AccountId };
  return reject(
    'INVALID_REQUEST',
    `account ${JSON.stringify(account)} has no API key: the switch would halt no account`,
  );
}
