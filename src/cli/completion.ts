import { Argument } from 'commander';
import type { Command } from 'commander';
import { bashCompletion } from './completion/bash.js';
import { commandTree } from './completion/command-tree.js';
import type { CompletedCommand } from './completion/command-tree.js';
import { fishCompletion } from './completion/fish.js';
import { zshCompletion } from './completion/zsh.js';
import type { CommandContext } from './context.js';

type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const HELP = `
Examples:
  $ sluice completion bash > ~/.local/share/bash-completion/completions/sluice
  $ sluice completion zsh > "\${fpath[1]}/_sluice"
  $ sluice completion fish > ~/.config/fish/completions/sluice.fish

It completes the word sluice: where npx runs the command, begin with alias sluice='npx sluice'.`;

/** Added last: the script knows the commands that stand before it, and itself. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: Shell) => context.output.line(SCRIPTS[shell](commandTree(program)).trimEnd()));
}
