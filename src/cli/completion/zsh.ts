import type { CompletedCommand, Following } from './command-tree.js';

/** A completion script for zsh, with the descriptions of commands and options; works as bash's does. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef sluice
_sluice() {
  local at=sluice word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${alternatives(commands.slice(1).map(({ path }) => path))}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(commandCase).join('\n')}
  esac
  (( \${#names} )) && _describe -t commands command names
  _describe -o option flags
}
# Called by the completion system, or sourced.
if [ "$funcstack[1]" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

function valueCases({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ following }) => following.kind !== 'NOTHING')
    .map(({ flags, following }) => {
      const patterns = alternatives(flags.map((flag) => `${path} ${flag}`));
      return `    ${patterns}) ${[offer(following), 'return'].filter((part) => part !== '').join('; ')} ;;`;
    });
}

function commandCase({ path, options, subcommands, argument }: CompletedCommand): string {
  const optionWords = options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description)));
  const commandWords = subcommands.map(({ name, description }) => described(name, description));
  return [
    `    '${path}')`,
    `      names=(${commandWords.join(' ')})`,
    `      flags=(${optionWords.join(' ')})`,
    ...[offer(argument)].filter((part) => part !== '').map((part) => `      ${part}`),
    '      ;;',
  ].join('\n');
}

function offer(following: Following): string {
  if (following.kind === 'FILE') return '_files';
  return following.kind === 'ONE_OF' ? `compadd -- ${following.values.join(' ')}` : '';
}

/** A colon separates the word from what it means. */
function described(word: string, description: string): string {
  return quoted(`${word}:${description.replaceAll(':', String.raw`\:`)}`);
}

function alternatives(patterns: readonly string[]): string {
  return patterns.map(quoted).join('|');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
