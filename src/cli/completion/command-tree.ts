import type { Command, Option } from 'commander';
import { SUGGESTED } from './suggested-values.js';

/** What may follow an option. */
export type Following =
  | { readonly kind: 'NOTHING' }
  | { readonly kind: 'ANYTHING' }
  | { readonly kind: 'FILE' }
  | { readonly kind: 'ONE_OF'; readonly values: readonly string[] };

export interface CompletedOption {
  /** With their dashes. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly following: Following;
}

/** A command as completion sees it. */
export interface CompletedCommand {
  /** From the program on: `sluice order create`. */
  readonly path: string;
  readonly options: readonly CompletedOption[];
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  /** Whether its arguments are files or directories, or one of a few words. */
  readonly argument: Following;
}

/** The command and all below it, each before its subcommands. */
export function commandTree(command: Command, parentPath = ''): readonly CompletedCommand[] {
  const path = `${parentPath} ${command.name()}`.trimStart();
  const completed: CompletedCommand = {
    path,
    options: [...command.options.filter(({ hidden }) => !hidden).map(completedOption), HELP],
    subcommands: command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
    argument: argumentOf(command),
  };
  return [completed, ...command.commands.flatMap((sub) => commandTree(sub, path))];
}

const HELP: CompletedOption = {
  flags: ['--help'],
  description: 'display help for command',
  following: { kind: 'NOTHING' },
};

function completedOption(option: Option): CompletedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, description: option.description, following: followingOf(option) };
}

function followingOf(option: Option): Following {
  // Where a value may be left out, another flag is as likely.
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

/** By the name that the help text has for it. */
function isFile(name: string): boolean {
  return /\b(file|directory)\b/.test(name);
}
