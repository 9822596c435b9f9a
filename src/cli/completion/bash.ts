import type { CompletedCommand, Following } from './command-tree.js';

/**
 * A completion script for bash. It walks the words before the cursor to the command that they name, looks whether the
 * last of them is an option that wants a value, and otherwise offers the command's subcommands and options.
 */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `_sluice() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at=sluice word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${alternatives(commands.slice(1).map(({ path }) => path))}) at="$at $word" ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(commandCase).join('\n')}
  esac
}
complete -o filenames -F _sluice sluice
`;
}

function valueCases({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ following }) => following.kind !== 'NOTHING')
    .map(({ flags, following }) => {
      const patterns = alternatives(flags.map((flag) => `${path} ${flag}`));
      return `    ${patterns}) COMPREPLY=(${offer(following)}); return ;;`;
    });
}

function commandCase({ path, options, subcommands, argument }: CompletedCommand): string {
  const words = [...subcommands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  const all = [offer({ kind: 'ONE_OF', values: words }), offer(argument)].filter((part) => part !== '');
  return `    '${path}') COMPREPLY=(${all.join(' ')}) ;;`;
}

function offer(following: Following): string {
  if (following.kind === 'FILE') return '$(compgen -f -- "$cur")';
  return following.kind === 'ONE_OF' ? `$(compgen -W '${following.values.join(' ')}' -- "$cur")` : '';
}

function alternatives(patterns: readonly string[]): string {
  return patterns.map((pattern) => `'${pattern}'`).join('|');
}
