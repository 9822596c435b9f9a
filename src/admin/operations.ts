import type { Rejected } from '../domain/rejection.js';
import { settleChild } from './child-operations.js';
import { confirmKeys, createKey, listKeys, revokeKey } from './key-operations.js';
import { engagedSwitches, engageKillSwitch, releaseKillSwitch } from './kill-switch-operations.js';
import { liveAccount } from './live-account.js';
import { listQuarantined, releaseQuarantined } from './quarantine-operations.js';
import { listRiskLimits, setRiskLimits } from './risk-limit-operations.js';
import type { AdminSite } from './admin-site.js';
import { resumeTrading, tradingStatus } from './trading-operations.js';
import {
  addVenueKey,
  checkNewVenueKey,
  checkVenueKeys,
  listVenueKeys,
  removeVenueKey,
} from './venue-key-operations.js';

/**
 * What the operator's commands do with the databases of a data directory. The running service performs them, or the
 * command itself when no service runs. Parameters and results are JSON.
 */
export const OPERATIONS = {
  'keys.create': createKey,
  'keys.list': listKeys,
  'keys.confirm': confirmKeys,
  'keys.revoke': revokeKey,
  'kill-switch.engage': engageKillSwitch,
  'kill-switch.release': releaseKillSwitch,
  'kill-switch.status': ({ identity }: AdminSite) => engagedSwitches(identity),
  'risk-limits.set': setRiskLimits,
  'risk-limits.show': listRiskLimits,
  'venue-keys.check-new': checkNewVenueKey,
  'venue-keys.add': addVenueKey,
  'venue-keys.list': listVenueKeys,
  'venue-keys.remove': removeVenueKey,
  'venue-keys.check': checkVenueKeys,
  'live.account': liveAccount,
  'quarantine.list': listQuarantined,
  'quarantine.release': releaseQuarantined,
  'child.settle': settleChild,
  'trading.status': tradingStatus,
  'trading.resume': resumeTrading,
} as const;

export type OperationName = keyof typeof OPERATIONS;

/** An operation without parameters gets an empty object. */
export type ParamsOf<Name extends OperationName> =
  Parameters<(typeof OPERATIONS)[Name]> extends [AdminSite, infer Params] ? Params : Readonly<Record<string, never>>;

export type ResultOf<Name extends OperationName> = Exclude<Awaited<ReturnType<(typeof OPERATIONS)[Name]>>, Rejected>;

/** null: this release has no operation with the name. */
export function operationOf(name: string): ((site: AdminSite, params: unknown) => unknown) | null {
  return Object.hasOwn(OPERATIONS, name) ? (OPERATIONS[name as OperationName] as never) : null;
}
