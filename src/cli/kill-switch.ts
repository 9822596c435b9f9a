import type { Command } from 'commander';
import {
  engageKillSwitch,
  listKillSwitches,
  releaseKillSwitch,
  type ScopeName,
  type ShownHalt,
} from '../operator/kill-switch.js';
import { dataDirectory } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { granted } from './granted.js';
import type { Column } from './table.js';

type Options = ScopeName & { readonly json?: boolean };

const HELP = `${examples(
  'sluice kill-switch on --account desk',
  'sluice kill-switch on --all',
  'sluice kill-switch status',
  'sluice kill-switch off --account desk',
)}

While it is engaged every open order is cancelled and no other is taken, over restarts too. SLUICE_DATA_DIR names the
data directory (./data); a running service takes it up within a fraction of a second.`;

/** The commands that halt trading. They work on the data directory itself: a key can engage the switch, never release it. */
export function addKillSwitchCommands(program: Command, context: CommandContext): void {
  const killSwitch = program
    .command('kill-switch')
    .description('halt trading: cancel every open order and take no other')
    .addHelpText('after', HELP);
  const scoped = (name: string, description: string): Command =>
    killSwitch
      .command(name)
      .description(description)
      .option('--account <name>', 'of one account')
      .option('--all', 'of the whole service')
      .option('--json', 'print JSON')
      .addHelpText('after', HELP);
  scoped('on', 'halt trading').action(async (options: Options) =>
    print(context, granted(await engageKillSwitch(dataDirectory(context), options)), options.json),
  );
  scoped('off', 'let trading go on').action(async (options: Options) =>
    print(context, granted(await releaseKillSwitch(dataDirectory(context), options)), options.json),
  );
  killSwitch
    .command('status')
    .description('show what is halted')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options) =>
      print(context, granted(await listKillSwitches(dataDirectory(context))), options.json),
    );
}

function print({ output }: CommandContext, rows: readonly ShownHalt[], json: boolean | undefined): void {
  const told = rows.map(({ account, engagedAtMs, engagedBy }) => ({
    ...(account === null ? { scope: 'SERVICE' } : { scope: 'ACCOUNT', account }),
    engaged_at: new Date(engagedAtMs).toISOString(),
    engaged_by: engagedBy,
  }));
  output.show({ columns: COLUMNS, rows, empty: 'No kill switch is engaged.', json: told }, json);
}

const COLUMNS: readonly Column<ShownHalt>[] = [
  { title: 'HALTED', text: ({ account }) => account ?? '(the whole service)' },
  { title: 'SINCE', text: ({ engagedAtMs }) => new Date(engagedAtMs).toISOString() },
  { title: 'BY', text: ({ engagedBy }) => engagedBy },
];
