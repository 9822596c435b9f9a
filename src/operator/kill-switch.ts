import type { HeldHalt, Identity } from '../journal/identity/index.js';
import type { Halt, KillScope } from '../model/guardrail.js';
import type { AccountId } from '../model/ids.js';
import { isRejected, reject, type OrRejection } from '../model/rejection.js';
import { withExisting, type DataDirectory } from './data-directory.js';

/** Whose trading: one account's, or everybody's. */
export interface ScopeName {
  readonly account?: string | undefined;
  readonly all?: boolean | undefined;
}

/** An engaged kill switch. */
export interface ShownHalt {
  /** null: the one of the whole service. */
  readonly account: string | null;
  /** Real time, epoch milliseconds. */
  readonly engagedAtMs: number;
  readonly engagedBy: Halt['by'];
}

/** On disk when it resolves. A running service refuses new orders at once and cancels what is open. */
export function engageKillSwitch(data: DataDirectory, name: ScopeName): Promise<OrRejection<readonly ShownHalt[]>> {
  return withExisting(data, async (identity) => {
    const scope = scopeOf(identity, name);
    if (isRejected(scope)) return scope;
    await new Promise<void>((resolve) => {
      identity.guardrails.engage(scope, { engagedAtMs: Date.now(), by: 'OPERATOR' }, resolve);
    });
    return engaged(identity);
  });
}

/** On disk when it resolves, with those that are still engaged. */
export function releaseKillSwitch(data: DataDirectory, name: ScopeName): Promise<OrRejection<readonly ShownHalt[]>> {
  return withExisting(data, (identity) => {
    const scope = scopeOf(identity, name);
    if (isRejected(scope)) return scope;
    if (identity.guardrails.release(scope)) return engaged(identity);
    const whose = scope.kind === 'service' ? 'of the whole service' : `of account ${scope.account}`;
    return reject('INVALID_PARAM', `the kill switch ${whose} is not engaged`);
  });
}

/** All that are engaged. */
export function listKillSwitches(data: DataDirectory): Promise<OrRejection<readonly ShownHalt[]>> {
  return withExisting(data, engaged);
}

function engaged({ guardrails }: Identity): readonly ShownHalt[] {
  return guardrails
    .rows()
    .filter((row) => row.kind === 'halt')
    .map(shown);
}

function shown({ scope, halt }: HeldHalt): ShownHalt {
  const account = scope.kind === 'account' ? scope.account : null;
  return { account, engagedAtMs: halt.engagedAtMs, engagedBy: halt.by };
}

/** An account that has never had a key is a typing error, which would halt nobody. */
function scopeOf({ keys }: Identity, { account, all = false }: ScopeName): OrRejection<KillScope> {
  if ((account === undefined) === !all) return reject('INVALID_PARAM', 'name either an account or all of them');
  if (account === undefined) return { kind: 'service' };
  if (keys.list().some((key) => key.account === account)) return { kind: 'account', account: account as AccountId };
  return reject('INVALID_PARAM', `account ${JSON.stringify(account)} has no API key: nobody would be halted`);
}
