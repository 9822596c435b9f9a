/**
 * Joins the compiled modules of each program and each worker thread to a few files in dist/service. A service of eight
 * threads opened and compiled over two thousand modules at each start without it.
 * Plain JavaScript, because it is a part of the build.
 */
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const COMPILED = fileURLToPath(new URL('../../dist/', import.meta.url));
const OUTPUT = `${COMPILED}service/`;
const PROGRAMS = ['src/main', 'src/cli', 'src/cli/demo'];
/** Packages with a native part, and those that find their own files by their place. */
const EXTERNAL = ['lmdb', 'uWebSockets.js', 'piscina', 'swagger-ui-dist'];
/** Finds the worker threads from the place of the joined file. */
const MOVED = 'src/service-threads.js';

const workers = readdirSync(`${COMPILED}workers`).filter((name) => name.endsWith('.js'));
const names = [...PROGRAMS, ...workers.map((name) => `workers/${name.slice(0, -'.js'.length)}`)];

/** Lets a module find the files beside it, which stay in dist/src. All joined code of src/ lies in one folder. */
const keepPlace = {
  name: 'keep-place',
  transform(code, id) {
    if (!id.startsWith(`${COMPILED}src/`) || id.endsWith(MOVED) || !code.includes('import.meta.url')) return null;
    const place = relative(`${OUTPUT}src/`, id);
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
  },
};

await build({
  input: Object.fromEntries(names.map((name) => [name, `${COMPILED}${name}.js`])),
  external: EXTERNAL,
  platform: 'node',
  plugins: [keepPlace],
  output: { dir: OUTPUT, cleanDir: true, entryFileNames: '[name].js', chunkFileNames: 'src/[name].js' },
});
