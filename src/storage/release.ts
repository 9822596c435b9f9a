import { existsSync, readFileSync } from 'node:fs';

/**
 * The version of this release, from the nearest package.json above this module: a build moves the module, and not the
 * file. Throws when there is none.
 */
export function releaseVersion(): string {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('..', folder);
    if (above.href === folder.href) throw new Error('the release has no package.json');
    folder = above;
  }
  return (JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string }).version;
}
