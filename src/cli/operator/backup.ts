import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { examples, positiveInteger, withReason } from '../arguments.js';
import { removeOldBackups, rotatedFolder } from './backup-rotation.js';
import { type CommandContext, CommandFailure, dataDirectory, dataPath, UsageError } from '../context.js';
import {
  KEY_CHOICES,
  KILL_SWITCH_CHOICES,
  type RestoreChoices,
  type RestoreSummary,
  SAFE_CHOICES,
  TIMER_CHOICES,
} from './restored-data.js';

const JOURNAL_FOLDER = 'journal';
const PROBLEMS_SHOWN_MAX = 20;

const VERIFY_EXAMPLES = examples('sluice journal verify', 'SLUICE_DATA_DIR=/srv/sluice sluice journal verify --json');

const BACKUP_HELP = `${examples(
  'sluice backup /backups/monday',
  'sluice backup --keep 28 /backups',
  'SLUICE_DATA_DIR=/srv/sluice sluice backup /backups/monday',
)}

With --keep the directory is a folder of backups: the command makes a new one in it, whose name is the time, and then
removes the oldest ones that it made. Other names in the folder stay.

The copy is consistent, also while the service runs. It contains the API keys, sealed by the master key, but not the
master key itself. Keep the master key elsewhere, or copy it with --with-master-key.`;

export function addMaintenanceCommands(program: Command, context: CommandContext): void {
  const journal = program
    .command('journal')
    .description('the durable record of all events')
    .addHelpText('after', VERIFY_EXAMPLES);
  journal
    .command('verify')
    .description('replay the journal and compare it with the stored state, byte by byte')
    .option('--json', 'print JSON')
    .addHelpText('after', VERIFY_EXAMPLES)
    .action((options: { json?: boolean }) => verify(context, options.json));
  program
    .command('backup')
    .description('copy the data directory')
    .argument('<directory>', 'target, empty or absent; with --keep a folder of backups')
    .option('--with-master-key', 'include the master key')
    .option('--keep <count>', 'make the backup in a new folder below, and keep so many', positiveInteger)
    .addHelpText('after', BACKUP_HELP)
    .action((target: string, options: BackupCommandOptions) => backup(context, resolve(target), options));
}

interface BackupCommandOptions {
  readonly withMasterKey?: boolean;
  readonly keep?: number;
}

async function backup(
  context: CommandContext,
  folder: string,
  { withMasterKey = false, keep }: BackupCommandOptions,
): Promise<void> {
  const { maintenance, output } = context;
  const target = keep === undefined ? folder : rotatedFolder(folder, Date.now());
  await maintenance.backup(dataDirectory(context).path, target, { withMasterKey });
  output.line(`backed up to ${target}`);
  if (keep !== undefined) for (const path of removeOldBackups(folder, keep, Date.now())) output.line(`removed ${path}`);
  if (!withMasterKey)
    output.warn(
      'The backup does not contain the master key. Keep the master key elsewhere; the API keys are lost without it.',
    );
}

async function verify(context: CommandContext, json: boolean | undefined): Promise<void> {
  const path = dataPath(context);
  if (!existsSync(join(path, JOURNAL_FOLDER))) throw new CommandFailure(`there is no journal in ${path}`);
  const report = await context.maintenance.verifyJournal(path);
  const { entries, orders, feeds, problems } = report;
  if (json === true) context.output.json(report);
  else {
    const verdict = problems.length === 0 ? 'all agree' : 'they differ';
    context.output.line(`${entries} entries, ${orders} orders, ${feeds} feeds: ${verdict}`);
    for (const problem of problems.slice(0, PROBLEMS_SHOWN_MAX)) context.output.line(`problem: ${problem}`);
  }
  if (problems.length > 0) throw new CommandFailure(`the journal has ${problems.length} problems`);
}

type RestoreOptions = Partial<RestoreChoices> & {
  readonly yes?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
};

const RESTORE_HELP = `${examples(
  'SLUICE_DATA_DIR=/srv/sluice sluice restore /backups/monday',
  'SLUICE_DATA_DIR=/srv/sluice sluice restore /backups/monday --keys keep --timers drop --yes',
)}

Stop the service first. The data directory must be empty or absent. The command lists contents of the backup that may
be out of date, and asks what to do with them. Without a terminal and without flags the safe choices apply: keys are
suspended until "sluice keys confirm", kill switches keep their state, timers and sessions with cancel_on_disconnect
are dropped: they cancel no order.

The service then starts halted. "sluice trading status" shows the progress, "sluice trading resume" ends the halt.`;

export function addRestoreCommand(program: Command, context: CommandContext): void {
  withReason(program.command('restore'))
    .description('create a data directory from a backup')
    .argument('<directory>', 'the backup')
    .addOption(new Option('--keys <choice>', 'API keys in the backup').choices([...KEY_CHOICES]))
    .addOption(new Option('--kill-switches <choice>', 'kill switches').choices([...KILL_SWITCH_CHOICES]))
    .addOption(
      new Option('--timers <choice>', 'cancel-all-after timers and sessions with cancel_on_disconnect').choices([
        ...TIMER_CHOICES,
      ]),
    )
    .option('--yes', 'do not ask; use the safe choices for flags that are absent')
    .option('--json', 'print JSON')
    .addHelpText('after', RESTORE_HELP)
    .action((source: string, options: RestoreOptions) => restore(context, resolve(source), options));
}

async function restore(context: CommandContext, source: string, options: RestoreOptions): Promise<void> {
  const path = dataPath(context);
  const { maintenance, output } = context;
  const summary = await maintenance.restore(source, path);
  if (options.json !== true) show(context, summary);
  const choices = await choicesOf(context, options);
  await maintenance.finishRestore(source, path, choices, options.reason);
  if (options.json === true) return output.json({ ...printed(summary), choices });
  output.line(
    `restored to ${resolve(path)}: keys ${choices.keys}, kill switches ${choices.killSwitches}, timers ${choices.timers}`,
  );
  if (choices.keys === 'suspend')
    output.warn('All API keys are suspended. Confirm the valid ones: sluice keys confirm KEY (or --all).');
  output.warn('The service starts halted. See: sluice trading status');
}

async function choicesOf({ prompt }: CommandContext, options: RestoreOptions): Promise<RestoreChoices> {
  const isAsking = prompt !== undefined && options.yes !== true && options.json !== true;
  const choose = async <Name extends keyof RestoreChoices>(
    name: Name,
    question: string,
    choices: readonly RestoreChoices[Name][],
  ): Promise<RestoreChoices[Name]> => {
    const given = options[name] as RestoreChoices[Name] | undefined;
    if (given !== undefined) return given;
    if (!isAsking) return SAFE_CHOICES[name];
    const answer = (await prompt(`${question} (${choices.join(', ')}) [${SAFE_CHOICES[name]}] `)).trim();
    const choice = answer === '' ? SAFE_CHOICES[name] : choices.find((one) => one === answer);
    if (choice !== undefined) return choice;
    throw new UsageError(`${answer} is not one of ${choices.join(', ')}; empty the data directory and restore again`);
  };
  return {
    keys: await choose('keys', 'API keys: a key that was revoked after the backup is valid in it.', KEY_CHOICES),
    killSwitches: await choose('killSwitches', 'Kill switches', KILL_SWITCH_CHOICES),
    timers: await choose(
      'timers',
      'Cancel-all-after timers and sessions with cancel_on_disconnect: a kept one cancels orders after the start.',
      TIMER_CHOICES,
    ),
  };
}

function show({ output }: CommandContext, summary: RestoreSummary): void {
  const minutes = Math.round(summary.ageMs / 60_000);
  output.line(
    `The backup is from ${iso(summary.backupAtMs)}, ${minutes} minutes ago. Contents that may be out of date:`,
  );
  output.line(`Valid API keys: ${summary.keys.length}`);
  for (const { apiKey, account, permissions, createdAtMs } of summary.keys) {
    output.line(`  ${apiKey} ${account} ${permissions.join(',')} created ${iso(createdAtMs)}`);
  }
  output.line(`Engaged kill switches: ${summary.killSwitches.length}`);
  for (const { account, engagedAtMs } of summary.killSwitches) {
    output.line(`  ${account ?? '(the whole service)'} since ${iso(engagedAtMs)}`);
  }
  output.line(`Risk limits: ${summary.riskLimits.length}`);
  for (const { account, apiKey, rules } of summary.riskLimits) {
    output.line(`  ${apiKey ?? account} ${JSON.stringify(rules)}`);
  }
  output.line(`Cancel-all-after timers: ${summary.timers.length}`);
  for (const { account, triggerAtMs } of summary.timers) output.line(`  ${account} at ${iso(triggerAtMs)}`);
  output.line(`Sessions with cancel_on_disconnect: ${summary.sessions.reduce((sum, { count }) => sum + count, 0)}`);
  for (const { account, count } of summary.sessions) output.line(`  ${account}: ${count}`);
  output.line(`Open orders: ${summary.openOrders.reduce((sum, { count }) => sum + count, 0)}`);
  for (const { account, count } of summary.openOrders) output.line(`  ${account}: ${count}`);
}

function printed(summary: RestoreSummary): Record<string, unknown> {
  const { backupAtMs, ageMs, keys, riskLimits, killSwitches, timers, sessions, openOrders } = summary;
  return {
    backup_at: iso(backupAtMs),
    age_ms: ageMs,
    keys: keys.map((key) => ({
      api_key: key.apiKey,
      account: key.account,
      permissions: key.permissions,
      created_at: iso(key.createdAtMs),
    })),
    guardrails: riskLimits.map(({ account, apiKey, rules }) => ({ account, api_key: apiKey, rules })),
    kill_switches: killSwitches.map(({ account, engagedAtMs }) => ({ account, engaged_at: iso(engagedAtMs) })),
    timers: timers.map(({ account, triggerAtMs }) => ({ account, triggers_at: iso(triggerAtMs) })),
    sessions,
    open_orders: openOrders,
  };
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
