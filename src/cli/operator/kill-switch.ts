import type { Command } from 'commander';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory } from '../context.js';
import type { Column } from '../output.js';
import type { StoredKillSwitch, Identity } from '../../runtime/identity.js';
import type { EngagedKillSwitch, KillSwitchScope } from '../../domain/risk-limit.js';
import type { AccountId } from '../../domain/ids.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import { AuditFailure } from '../../storage/audit-log.js';
import { audit, granted, type DataDirectory, operatorName, withExisting } from './data-directory.js';

type Options = ScopeName & { readonly reason?: string; readonly json?: boolean };

const HELP = `${examples(
  'sluice kill-switch engage --account desk',
  'sluice kill-switch engage --all',
  'sluice kill-switch status',
  'sluice kill-switch release --account desk',
)}

An engaged kill switch cancels all open orders and refuses new ones, also after a restart. SLUICE_DATA_DIR is the data
directory (./data). A running service reads a change within a fraction of a second.`;

/** Adds the commands for kill switches. They work on the data directory, because no API key may release a switch. */
export function addKillSwitchCommands(program: Command, context: CommandContext): void {
  const killSwitch = program
    .command('kill-switch')
    .description('halt trading: cancel all open orders and refuse new ones')
    .addHelpText('after', HELP);
  const scoped = (name: string, alias: string, description: string): Command =>
    withReason(killSwitch.command(name))
      .alias(alias)
      .description(description)
      .option('--account <name>', 'halt one account')
      .option('--all', 'halt the whole service')
      .option('--json', 'print JSON')
      .addHelpText('after', HELP);
  scoped('engage', 'on', 'halt trading').action(async (options: Options) => {
    const data = dataDirectory(context, options.reason);
    const warn = (message: string): void => context.output.warn(`Warning: ${message}`);
    print(context, granted(await engageKillSwitch(data, options, warn)), options.json);
  });
  scoped('release', 'off', 'allow trading again').action(async (options: Options) =>
    print(context, granted(await releaseKillSwitch(dataDirectory(context, options.reason), options)), options.json),
  );
  killSwitch
    .command('status')
    .description('show engaged kill switches')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options) =>
      print(context, granted(await withExisting(dataDirectory(context), engagedSwitches)), options.json),
    );
}

function print({ output }: CommandContext, rows: readonly EngagedSwitch[], json: boolean | undefined): void {
  output.show({ columns: COLUMNS, rows, empty: 'No kill switch is engaged.', json: rows.map(printedSwitch) }, json);
}

/** An engaged kill switch for JSON. */
export function printedSwitch({ account, engagedAtMs, engagedBy, who }: EngagedSwitch): Record<string, unknown> {
  return {
    ...(account === null ? { scope: 'SERVICE' } : { scope: 'ACCOUNT', account }),
    engaged_at: new Date(engagedAtMs).toISOString(),
    engaged_by: engagedBy,
    ...(who !== null && { who }),
  };
}

/** Who engaged a kill switch, for people. */
export function engagedByText({ engagedBy, who }: EngagedSwitch): string {
  const kind = engagedBy === 'OPERATOR' ? 'operator' : 'API key';
  return who === null ? kind : `${kind} ${who}`;
}

const COLUMNS: readonly Column<EngagedSwitch>[] = [
  { title: 'HALTED', text: ({ account }) => account ?? '(the whole service)' },
  { title: 'SINCE', text: ({ engagedAtMs }) => new Date(engagedAtMs).toISOString() },
  { title: 'BY', text: engagedByText },
];

/** Scope of a kill switch: one account or the whole service. */
interface ScopeName {
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

/**
 * Engages a kill switch. Durable on resolve. A running service refuses new orders at once and cancels open ones. An audit
 * log that cannot be written does not keep an operator from halting trading: `warn` gets the failure.
 */
export function engageKillSwitch(
  data: DataDirectory,
  name: ScopeName,
  warn: (message: string) => void = () => undefined,
): Promise<OrRejection<readonly EngagedSwitch[]>> {
  return withExisting(data, async (identity) => {
    const scope = scopeOf(identity, name);
    if (isRejected(scope)) return scope;
    try {
      audit(data, 'kill-switch.engage', subjectOf(scope));
    } catch (error) {
      if (!(error instanceof AuditFailure)) throw error;
      warn(error.message);
    }
    await new Promise<void>((resolve) => {
      identity.riskLimits.engage(scope, { engagedAtMs: Date.now(), by: 'OPERATOR', who: operatorName() }, resolve);
    });
    return engagedSwitches(identity);
  });
}

/** Releases a kill switch. Durable on resolve. Returns the switches that are still engaged. */
export function releaseKillSwitch(
  data: DataDirectory,
  name: ScopeName,
): Promise<OrRejection<readonly EngagedSwitch[]>> {
  return withExisting(data, (identity) => {
    const scope = scopeOf(identity, name);
    if (isRejected(scope)) return scope;
    if (isEngaged(identity, scope)) audit(data, 'kill-switch.release', subjectOf(scope));
    if (identity.riskLimits.release(scope)) return engagedSwitches(identity);
    const whose = scope.kind === 'service' ? 'of the whole service' : `of account ${scope.account}`;
    return reject('INVALID_REQUEST', `the kill switch ${whose} is not engaged`);
  });
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
