/** The end of a help text: commands that work as they stand, each on a line. */
export function examples(...commands: readonly string[]): string {
  return ['', 'Examples:', ...commands.map((command) => `  $ ${command}`)].join('\n');
}
