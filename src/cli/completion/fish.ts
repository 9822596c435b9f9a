import type { CompletedCommand, CompletedOption, Following } from './command-tree.js';

/** A completion script for fish: a rule for every word, which holds while the command line is at its command. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `function __sluice_at
  set -l at sluice
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" ${commands
      .slice(1)
      .map(({ path }) => quoted(path))
      .join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c sluice -f
${commands.flatMap(rules).join('\n')}
`;
}

function rules({ path, options, subcommands, argument }: CompletedCommand): string[] {
  const rule = `complete -c sluice -n ${quoted(`__sluice_at '${path}'`)}`;
  return [
    ...subcommands.map(({ name, description }) => `${rule} -a ${name} -d ${quoted(description)}`),
    ...options.map((option) => `${rule} ${optionRule(option)}`),
    ...(argument.kind === 'FILE' ? [`${rule} -F`] : []),
    ...(argument.kind === 'ONE_OF' ? [`${rule} -a ${quoted(argument.values.join(' '))}`] : []),
  ];
}

function optionRule({ flags, description, following }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...value(following), `-d ${quoted(description)}`].join(' ');
}

/** -r: a value follows; -x: no file; -F: files in spite of the rule above for the whole program. */
function value(following: Following): string[] {
  switch (following.kind) {
    case 'NOTHING':
      return [];
    case 'ANYTHING':
      return ['-x'];
    case 'FILE':
      return ['-r', '-F'];
    case 'ONE_OF':
      return ['-x', `-a ${quoted(following.values.join(' '))}`];
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
