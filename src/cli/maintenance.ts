import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure, dataDirectory } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';

const JOURNAL_FOLDER = 'journal';
const PROBLEMS_SHOWN_MAX = 20;

const VERIFY_EXAMPLES = examples('sluice journal verify', 'SLUICE_DATA_DIR=/srv/sluice sluice journal verify --json');

const BACKUP_HELP = `${examples('sluice backup /backups/monday', 'SLUICE_DATA_DIR=/srv/sluice sluice backup /backups/monday')}

The copy is consistent and may be taken while the service runs. It holds the API keys, sealed by the master key,
but not the master key itself: keep that elsewhere, or say --with-master-key.`;

export function addMaintenanceCommands(program: Command, context: CommandContext): void {
  const journal = program
    .command('journal')
    .description('the record of everything that happened')
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
    .argument('<directory>', 'where to; empty or absent')
    .option('--with-master-key', 'copy the master key too')
    .addHelpText('after', BACKUP_HELP)
    .action(async (target: string, options: { withMasterKey?: boolean }) => {
      const withMasterKey = options.withMasterKey === true;
      await context.maintenance.backup(dataDirectory(context).path, resolve(target), { withMasterKey });
      context.output.line(`backed up to ${resolve(target)}`);
      if (!withMasterKey)
        context.output.warn('The master key is not in it: keep it elsewhere, or the API keys are lost.');
    });
}

async function verify(context: CommandContext, json: boolean | undefined): Promise<void> {
  const { path } = dataDirectory(context);
  if (!existsSync(join(path, JOURNAL_FOLDER))) throw new CommandFailure(`there is no journal in ${path}`);
  const report = await context.maintenance.verifyJournal(path);
  const { entries, orders, feeds, problems } = report;
  if (json === true) context.output.json(report);
  else {
    const verdict = problems.length === 0 ? 'all agree' : 'they do not agree';
    context.output.line(`${entries} entries, ${orders} orders, ${feeds} feeds: ${verdict}`);
    for (const problem of problems.slice(0, PROBLEMS_SHOWN_MAX)) context.output.line(`problem: ${problem}`);
  }
  if (problems.length > 0) throw new CommandFailure(`the journal has ${problems.length} problems`);
}
