import { InvalidArgumentError, type Command } from 'commander';
import { withClient } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';

const HELP = `${examples('sluice cancel-after 60000', 'sluice cancel-after 0')}

Say it again in time, for example every 20 s. It outlives restarts of the service.`;

export function addCancelAfterCommand(program: Command, context: CommandContext): void {
  program
    .command('cancel-after')
    .description("dead man's switch: cancel every open order unless this is said again in time; 0 switches it off")
    .argument('<ms>', 'milliseconds of real time, 1000 to 86400000', milliseconds)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((timeoutMs: number, options: { readonly json?: boolean } = {}) =>
      withClient(context, async (client) => {
        const answer = await client.cancelAllAfter(timeoutMs);
        if (options.json === true) return context.output.json(answer);
        const { triggerTime } = answer;
        return context.output.line(
          triggerTime === null ? 'Off.' : `Every open order is cancelled at ${new Date(triggerTime).toISOString()}.`,
        );
      }),
    );
}

function milliseconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('not a number of milliseconds');
}
