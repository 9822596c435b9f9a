import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { CONSOLE } from '../contract/open-operations.js';
import type { StaticFile } from './docs-files.js';

/** The page runs nothing but its own modules, reaches nobody but its own service, and stands in no frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const PAGE_HEADERS =
  `\r\nContent-Security-Policy: ${POLICY}` +
  '\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store';
const ASSET_HEADERS = '\r\nCache-Control: no-cache';

const FOLDER = 'console';
const ENTRY = `${FOLDER}/main.js`;
const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const IMPORTED = /\bfrom '(\.[^']+)'/g;

/**
 * The operator page with all that it loads. Its modules are served below the page as they lie below `folder`, so that
 * what they import of each other is found. Reads the disk: once, at the start.
 * @param folder where a build puts what `src` holds; throws when the page is not there
 */
export function readConsoleFiles(folder: URL): readonly StaticFile[] {
  const read = (name: string): Buffer => readFileSync(new URL(name, folder));
  return [
    fileAt(CONSOLE.path, 'text/html; charset=utf-8', read(`${FOLDER}/page.html`), PAGE_HEADERS),
    fileAt(`${CONSOLE.path}/page.css`, STYLE, read(`${FOLDER}/page.css`)),
    fileAt(`${CONSOLE.path}/icon.svg`, 'image/svg+xml', read(`${FOLDER}/icon.svg`)),
    ...[...modulesFrom(ENTRY, read)].map(([name, bytes]) => fileAt(`${CONSOLE.path}/${name}`, SCRIPT, bytes)),
  ];
}

/** A module and all that it imports, by their names below the folder. */
function modulesFrom(entry: string, read: (name: string) => Buffer): ReadonlyMap<string, Buffer> {
  const modules = new Map<string, Buffer>();
  const names = [entry];
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (modules.has(name)) continue;
    const bytes = read(name);
    modules.set(name, bytes);
    for (const [, imported = ''] of bytes.toString().matchAll(IMPORTED))
      names.push(posix.join(posix.dirname(name), imported));
  }
  return modules;
}

function fileAt(path: string, contentType: string, bytes: Buffer, headers = ASSET_HEADERS): StaticFile {
  return { path, headers: `\r\nContent-Type: ${contentType}\r\nX-Content-Type-Options: nosniff${headers}`, bytes };
}
