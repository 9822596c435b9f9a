import type { Command } from 'commander';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory, granted } from '../context.js';
import type { Column } from '../output.js';
import { type DataDirectory, operate } from '../../admin/admin-client.js';
import type { EngagedSwitch, ScopeName } from '../../admin/kill-switch-operations.js';
import { isRejected, type OrRejection } from '../../domain/rejection.js';

type Options = ScopeName & { readonly reason?: string; readonly json?: boolean };

const HELP = `${examples(
  'sluice kill-switch engage --account desk',
  'sluice kill-switch engage --all',
  'sluice kill-switch status',
  'sluice kill-switch release --account desk',
)}

An engaged kill switch cancels all open orders and refuses new ones, also after a restart. SLUICE_DATA_DIR is the data
directory (./data). A running service applies a change at once.`;

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
    print(context, granted(await engage(data, scopeOf(options), warn)), options.json);
  });
  scoped('release', 'off', 'allow trading again').action(async (options: Options) => {
    const data = dataDirectory(context, options.reason);
    print(context, granted(await operate(data, 'kill-switch.release', scopeOf(options))), options.json);
  });
  killSwitch
    .command('status')
    .description('show engaged kill switches')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options) =>
      print(context, granted(await operate(dataDirectory(context), 'kill-switch.status', {})), options.json),
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

function scopeOf({ account, all }: ScopeName): ScopeName {
  return { account, all };
}

/** Engages a kill switch. `warn` gets why the audit log has no line of it. */
async function engage(
  data: DataDirectory,
  name: ScopeName,
  warn: (message: string) => void,
): Promise<OrRejection<readonly EngagedSwitch[]>> {
  const engaged = await operate(data, 'kill-switch.engage', name);
  if (isRejected(engaged)) return engaged;
  if (engaged.warning !== null) warn(engaged.warning);
  return engaged.switches;
}
