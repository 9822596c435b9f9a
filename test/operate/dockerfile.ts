/** One instruction of a Dockerfile. Continued lines are joined. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** A stage of the build: its instructions after FROM. */
export interface Stage {
  readonly base: string;
  /** '' for the last stage. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** Files that a COPY takes from the project or from another stage, and their place in the stage. */
interface Copy {
  /** null: from the project. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

/** Reads the instructions that this project uses: one a line, `#` comments, `\` at the end of a line that goes on. */
export function stagesOf(dockerfile: string): readonly Stage[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { base: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [base = '', , stage = ''] = text.split(' ');
      stages.push({ base, name: stage, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

export function copiesOf(stage: Stage): readonly Copy[] {
  return textsOf(stage, 'COPY').map((text) => {
    const parts = text.split(' ');
    const from = parts[0]?.startsWith('--from=') === true ? (parts.shift() ?? '').slice('--from='.length) : null;
    return { from, sources: parts.slice(0, -1), target: parts.at(-1) ?? '' };
  });
}

/** Texts of all instructions of a stage with the name. */
export function textsOf({ instructions }: Stage, name: string): readonly string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text);
}
