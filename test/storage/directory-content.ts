import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file with its bytes, mode and time of change, and every folder. */
export function contentOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const { mode, mtimeMs } = statSync(join(folder, name));
    const bytes = statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name)).toString('base64') : '';
    return `${name} ${mode} ${mtimeMs} ${bytes}`;
  });
}
