/**
 * Makes the package `sluice-client` in dist/client: one module without the code of the service, declarations, the
 * documents and the examples of src/client, and a package.json. `npm run pack:client` packs the folder. Plain
 * JavaScript, because it is part of the build.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { writeDeclarations } from './client-declarations.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT = `${ROOT}dist/client/`;
/** The only package that the client loads. */
const SOCKETS = 'ws';
/** Copied from src/client. */
const DOCUMENTS = ['README.md', 'examples'];

const { BASE } = await import(`${ROOT}dist/src/api/field/schema.js`);
rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT, { recursive: true });
await build({
  input: `${ROOT}dist/src/client/index.js`,
  external: [SOCKETS],
  platform: 'node',
  output: { file: `${OUTPUT}index.js` },
});
await writeDeclarations(ROOT, OUTPUT, BASE);
for (const name of DOCUMENTS)
  cpSync(`${ROOT}src/client/${name}`, `${OUTPUT}${name}`, { recursive: true, filter: isOfPackage });
writeFileSync(`${OUTPUT}package.json`, `${JSON.stringify(manifestOf(), null, 2)}\n`);

/** The options of the compiler for the examples here name the sources of the client. */
function isOfPackage(path) {
  return basename(path) !== 'tsconfig.json';
}

/** Version and licence are those of the service. */
function manifestOf() {
  const { version, license, type, dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  return {
    name: 'sluice-client',
    version,
    description: 'Client of Sluice, the order execution service: REST, order entry over WebSocket, gap-free streams',
    license,
    type,
    // The service asks for a later release because of the HTTP server in it.
    engines: { node: '>=20' },
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
    types: './index.d.ts',
    sideEffects: false,
    files: ['index.js', '*.d.ts', ...DOCUMENTS],
    dependencies: { [SOCKETS]: `^${dependencies[SOCKETS]}` },
  };
}
