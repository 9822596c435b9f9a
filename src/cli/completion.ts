import { Argument, type Command, type Option } from 'commander';
import { TRADING_EXCHANGES } from '../client/wire.js';
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

The script completes the word sluice. If you run the command through npx, define alias sluice='npx sluice' first.`;

/** Adds the command. Call it last, because the scripts contain the commands added before and this one. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: Shell) => context.output.line(SCRIPTS[shell](commandTree(program)).trimEnd()));
}

/** Suggested values of options that the command line does not check, by the option's name in camel case. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = { exchange: TRADING_EXCHANGES };

/** Words that may follow an option or a command. */
type Following =
  | { readonly kind: 'NOTHING' }
  | { readonly kind: 'ANYTHING' }
  | { readonly kind: 'FILE' }
  | { readonly kind: 'ONE_OF'; readonly values: readonly string[] };

interface CompletedOption {
  /** Including the dashes. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly following: Following;
}

/** A command with the words that complete it. */
interface CompletedCommand {
  /** Names from the program on, for example `sluice order create`. */
  readonly path: string;
  /** The same path with the alias of the command, for example `sluice guardrails`. */
  readonly aliases: readonly string[];
  readonly options: readonly CompletedOption[];
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  /** Values of the first argument. */
  readonly argument: Following;
}

/** Lists a command and all its subcommands. A command precedes its subcommands. */
function commandTree(command: Command, parentPath = ''): readonly CompletedCommand[] {
  const path = `${parentPath} ${command.name()}`.trimStart();
  const completed: CompletedCommand = {
    path,
    aliases: command.aliases().map((alias) => `${parentPath} ${alias}`.trimStart()),
    options: [...command.options.filter(({ hidden }) => !hidden).map(completedOption), HELP_OPTION],
    subcommands: command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
    argument: argumentOf(command),
  };
  return [completed, ...command.commands.flatMap((sub) => commandTree(sub, path))];
}

const HELP_OPTION: CompletedOption = {
  flags: ['--help'],
  description: 'display help for command',
  following: { kind: 'NOTHING' },
};

function completedOption(option: Option): CompletedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, description: option.description, following: followingOf(option) };
}

function followingOf(option: Option): Following {
  // After an option with an optional value, another flag is as likely as a value.
  if (option.isBoolean() || option.optional) return { kind: 'NOTHING' };
  const values = option.argChoices ?? SUGGESTED[option.attributeName()];
  if (values !== undefined) return { kind: 'ONE_OF', values };
  return { kind: isFile(option.flags) ? 'FILE' : 'ANYTHING' };
}

function argumentOf(command: Command): Following {
  const [argument] = command.registeredArguments;
  if (argument === undefined) return { kind: 'NOTHING' };
  if (argument.argChoices !== undefined) return { kind: 'ONE_OF', values: argument.argChoices };
  return { kind: isFile(argument.name()) ? 'FILE' : 'ANYTHING' };
}

/** True when the help text calls the value a file or directory. */
function isFile(name: string): boolean {
  return /\b(file|directory)\b/.test(name);
}

/**
 * Writes a completion script for bash. The script finds the command from the words before the cursor. After an option
 * with a value it offers the values, otherwise the subcommands and options of the command.
 */
function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `_sluice() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at=sluice word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
${commands.flatMap(bashAliases).join('\n')}
      ${bashAlternatives(commands.slice(1).map(({ path }) => path))}) at="$at $word" ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(bashValueCases).join('\n')}
  esac
  case "$at" in
${commands.map(bashCommandCase).join('\n')}
  esac
}
complete -o filenames -F _sluice sluice
`;
}

/** An alias leads to the command itself. */
function bashAliases({ path, aliases }: CompletedCommand): string[] {
  return aliases.map((alias) => `      '${alias}') at='${path}' ;;`);
}

function bashValueCases({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ following }) => following.kind !== 'NOTHING')
    .map(({ flags, following }) => {
      const patterns = bashAlternatives(flags.map((flag) => `${path} ${flag}`));
      return `    ${patterns}) COMPREPLY=(${bashOffer(following)}); return ;;`;
    });
}

function bashCommandCase({ path, options, subcommands, argument }: CompletedCommand): string {
  const words = [...subcommands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  const all = [bashOffer({ kind: 'ONE_OF', values: words }), bashOffer(argument)].filter((part) => part !== '');
  return `    '${path}') COMPREPLY=(${all.join(' ')}) ;;`;
}

function bashOffer(following: Following): string {
  if (following.kind === 'FILE') return '$(compgen -f -- "$cur")';
  return following.kind === 'ONE_OF' ? `$(compgen -W '${following.values.join(' ')}' -- "$cur")` : '';
}

function bashAlternatives(patterns: readonly string[]): string {
  return patterns.map((pattern) => `'${pattern}'`).join('|');
}

/** Writes a completion script for zsh. It works like the one for bash and adds descriptions. */
function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef sluice
_sluice() {
  local at=sluice word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${commands.flatMap(zshAliases).join('\n')}
      ${zshAlternatives(commands.slice(1).map(({ path }) => path))}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${commands.flatMap(zshValueCases).join('\n')}
  esac
  case "$at" in
${commands.map(zshCommandCase).join('\n')}
  esac
  (( \${#names} )) && _describe -t commands command names
  _describe -o option flags
}
# Called by the completion system, or sourced.
if [ "$funcstack[1]" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

function zshAliases({ path, aliases }: CompletedCommand): string[] {
  return aliases.map((alias) => `      ${zshQuoted(alias)}) at=${zshQuoted(path)} ;;`);
}

function zshValueCases({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ following }) => following.kind !== 'NOTHING')
    .map(({ flags, following }) => {
      const patterns = zshAlternatives(flags.map((flag) => `${path} ${flag}`));
      return `    ${patterns}) ${[zshOffer(following), 'return'].filter((part) => part !== '').join('; ')} ;;`;
    });
}

function zshCommandCase({ path, options, subcommands, argument }: CompletedCommand): string {
  const optionWords = options.flatMap(({ flags, description }) => flags.map((flag) => zshDescribed(flag, description)));
  const commandWords = subcommands.map(({ name, description }) => zshDescribed(name, description));
  return [
    `    '${path}')`,
    `      names=(${commandWords.join(' ')})`,
    `      flags=(${optionWords.join(' ')})`,
    ...[zshOffer(argument)].filter((part) => part !== '').map((part) => `      ${part}`),
    '      ;;',
  ].join('\n');
}

function zshOffer(following: Following): string {
  if (following.kind === 'FILE') return '_files';
  return following.kind === 'ONE_OF' ? `compadd -- ${following.values.join(' ')}` : '';
}

/** A word with its description. zsh separates them by a colon. */
function zshDescribed(word: string, description: string): string {
  return zshQuoted(`${word}:${description.replaceAll(':', String.raw`\:`)}`);
}

function zshAlternatives(patterns: readonly string[]): string {
  return patterns.map(zshQuoted).join('|');
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Writes a completion script for fish: one rule a word, valid while the command line is at its command. */
function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `function __sluice_at
  set -l at sluice
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
${commands.flatMap(fishAliases).join('\n')}
    end
    if contains -- "$at $word" ${commands
      .slice(1)
      .map(({ path }) => fishQuoted(path))
      .join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c sluice -f
${commands.flatMap(fishRules).join('\n')}
`;
}

function fishAliases({ path, aliases }: CompletedCommand): string[] {
  return aliases.map((alias) => `      case ${fishQuoted(alias)}; set at ${fishQuoted(path)}; continue`);
}

function fishRules({ path, options, subcommands, argument }: CompletedCommand): string[] {
  const rule = `complete -c sluice -n ${fishQuoted(`__sluice_at '${path}'`)}`;
  return [
    ...subcommands.map(({ name, description }) => `${rule} -a ${name} -d ${fishQuoted(description)}`),
    ...options.map((option) => `${rule} ${fishOption(option)}`),
    ...(argument.kind === 'FILE' ? [`${rule} -F`] : []),
    ...(argument.kind === 'ONE_OF' ? [`${rule} -a ${fishQuoted(argument.values.join(' '))}`] : []),
  ];
}

function fishOption({ flags, description, following }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...fishValue(following), `-d ${fishQuoted(description)}`].join(' ');
}

/** -r: a value follows. -x: a value follows and is not a file. -F: offers files despite `-f` of the program. */
function fishValue(following: Following): string[] {
  switch (following.kind) {
    case 'NOTHING':
      return [];
    case 'ANYTHING':
      return ['-x'];
    case 'FILE':
      return ['-r', '-F'];
    case 'ONE_OF':
      return ['-x', `-a ${fishQuoted(following.values.join(' '))}`];
  }
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
