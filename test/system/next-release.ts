import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './service-run.js';

const PRESENT = 'export const PRESENT_FORMAT = new DataFormat(FORMAT_STEPS);';
const NEXT = `import { renaming } from '../../../test/journal/format/renaming.js';
export const PRESENT_FORMAT = new DataFormat([...FORMAT_STEPS, renaming('two-')]);`;

/** The programs of a release, as commands of Node. */
export interface NextRelease {
  readonly service: readonly [string, string];
  readonly commandLine: readonly [string, string];
}

/** Makes a build of a pretended next release: a copy of this build whose list of format steps has one step more. */
export function makeNextRelease(folder: string): NextRelease {
  for (const part of ['src', 'workers', 'test/journal/format']) {
    cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true });
  }
  for (const name of ['node_modules', 'package.json', 'src']) symlinkSync(join(ROOT, name), join(folder, name));
  const module = join(folder, 'dist/src/storage/format/format-steps.js');
  const code = readFileSync(module, 'utf8');
  if (!code.includes(PRESENT)) throw new Error(`${module} has another line than this test changes`);
  writeFileSync(module, code.replace(PRESENT, NEXT));
  const programOf = (name: string): [string, string] => [process.execPath, join(folder, 'dist/src', name)];
  return { service: programOf('main.js'), commandLine: programOf('cli/main.js') };
}
