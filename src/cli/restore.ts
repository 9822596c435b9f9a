import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import {
  KEY_CHOICES,
  KILL_SWITCH_CHOICES,
  SAFE_CHOICES,
  TIMER_CHOICES,
  type RestoreChoices,
  type RestoreSummary,
} from '../operator/restore.js';
import { dataDirectory, UsageError } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';

type Options = Partial<RestoreChoices> & { readonly yes?: boolean; readonly json?: boolean };

const HELP = `${examples(
  'SLUICE_DATA_DIR=/srv/sluice sluice restore /backups/monday',
  'SLUICE_DATA_DIR=/srv/sluice sluice restore /backups/monday --keys keep --timers drop --yes',
)}

The service must be stopped, and the data directory empty or absent. What the backup holds that may have changed since
is listed, and you decide what becomes of it. Without a terminal and without flags the safe choices apply: keys are
suspended until "sluice keys confirm", kill switches stay as they were, timers are dropped.

The service then starts halted: "sluice trading status" says what it waits for, "sluice trading resume" ends the halt.`;

export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('make a data directory from a backup')
    .argument('<directory>', 'the backup')
    .addOption(new Option('--keys <choice>', 'API keys of the backup').choices([...KEY_CHOICES]))
    .addOption(new Option('--kill-switches <choice>', 'kill switches').choices([...KILL_SWITCH_CHOICES]))
    .addOption(new Option('--timers <choice>', 'cancel-all-after timers').choices([...TIMER_CHOICES]))
    .option('--yes', 'ask nothing: safe choices where no flag says otherwise')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((source: string, options: Options) => restore(context, resolve(source), options));
}

async function restore(context: CommandContext, source: string, options: Options): Promise<void> {
  const { path } = dataDirectory(context);
  const { maintenance, output } = context;
  const summary = await maintenance.restore(source, path);
  if (options.json !== true) show(context, summary);
  const choices = await choicesOf(context, options);
  await maintenance.finishRestore(source, path, choices);
  if (options.json === true) return output.json({ ...printed(summary), choices });
  output.line(
    `restored to ${resolve(path)}: keys ${choices.keys}, kill switches ${choices.killSwitches}, timers ${choices.timers}`,
  );
  if (choices.keys === 'suspend')
    output.warn('All API keys are suspended. Confirm each that is good: sluice keys confirm KEY (or --all).');
  output.warn('The service starts halted. See: sluice trading status');
}

async function choicesOf({ prompt }: CommandContext, options: Options): Promise<RestoreChoices> {
  const isAsking = prompt !== undefined && options.yes !== true && options.json !== true;
  const choose = async <Name extends keyof RestoreChoices>(
    name: Name,
    question: string,
    choices: readonly RestoreChoices[Name][],
  ): Promise<RestoreChoices[Name]> => {
    const told = options[name] as RestoreChoices[Name] | undefined;
    if (told !== undefined) return told;
    if (!isAsking) return SAFE_CHOICES[name];
    const answer = (await prompt(`${question} (${choices.join(', ')}) [${SAFE_CHOICES[name]}] `)).trim();
    const choice = answer === '' ? SAFE_CHOICES[name] : choices.find((one) => one === answer);
    if (choice !== undefined) return choice;
    throw new UsageError(`${answer} is not one of ${choices.join(', ')}; empty the data directory and restore again`);
  };
  return {
    keys: await choose('keys', 'API keys: a key that was revoked after the backup is good in it.', KEY_CHOICES),
    killSwitches: await choose('killSwitches', 'Kill switches', KILL_SWITCH_CHOICES),
    timers: await choose('timers', 'Cancel-all-after timers', TIMER_CHOICES),
  };
}

function show({ output }: CommandContext, summary: RestoreSummary): void {
  const minutes = Math.round(summary.ageMs / 60_000);
  output.line(`The backup is from ${iso(summary.backupAtMs)}, ${minutes} minutes ago. What may have changed since:`);
  output.line(`API keys that are good in it: ${summary.keys.length}`);
  for (const { apiKey, account, permissions, createdAtMs } of summary.keys) {
    output.line(`  ${apiKey} ${account} ${permissions.join(',')} created ${iso(createdAtMs)}`);
  }
  output.line(`Kill switches that are engaged in it: ${summary.killSwitches.length}`);
  for (const { account, engagedAtMs } of summary.killSwitches) {
    output.line(`  ${account ?? '(the whole service)'} since ${iso(engagedAtMs)}`);
  }
  output.line(`Guardrails: ${summary.guardrails.length}`);
  for (const { account, apiKey, rules } of summary.guardrails) {
    output.line(`  ${apiKey ?? account} ${JSON.stringify(rules)}`);
  }
  output.line(`Cancel-all-after timers: ${summary.timers.length}`);
  for (const { account, triggerAtMs } of summary.timers) output.line(`  ${account} at ${iso(triggerAtMs)}`);
  output.line(`Open orders: ${summary.openOrders.reduce((sum, { count }) => sum + count, 0)}`);
  for (const { account, count } of summary.openOrders) output.line(`  ${account}: ${count}`);
}

function printed(summary: RestoreSummary): Record<string, unknown> {
  const { backupAtMs, ageMs, keys, guardrails, killSwitches, timers, openOrders } = summary;
  return {
    backup_at: iso(backupAtMs),
    age_ms: ageMs,
    keys: keys.map((key) => ({
      api_key: key.apiKey,
      account: key.account,
      permissions: key.permissions,
      created_at: iso(key.createdAtMs),
    })),
    guardrails: guardrails.map(({ account, apiKey, rules }) => ({ account, api_key: apiKey, rules })),
    kill_switches: killSwitches.map(({ account, engagedAtMs }) => ({ account, engaged_at: iso(engagedAtMs) })),
    timers: timers.map(({ account, triggerAtMs }) => ({ account, triggers_at: iso(triggerAtMs) })),
    open_orders: openOrders,
  };
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
