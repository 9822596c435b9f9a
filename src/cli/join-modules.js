/**
 * Joins the compiled modules of the service's main program and of each of its threads to one script, and those of the
 * command line to a few files, all in dist/service. Without it, a service with seven threads opens and compiles over
 * two thousand modules at each start. Stores V8's code cache beside each script. Joins the modules of the operator
 * page, with the packages that they use, to one script for browsers. Plain JavaScript, because it is part of the build.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { build } from 'rolldown';

const COMPILED = fileURLToPath(new URL('../../dist/', import.meta.url));
const OUTPUT = `${COMPILED}service/`;
const PROGRAMS = ['src/cli/main', 'src/cli/demo'];
/** Packages with native code or WebAssembly, and packages that locate their own files. */
const EXTERNAL = ['undici', 'lmdb', 'uWebSockets.js', 'piscina', 'swagger-ui-dist'];
/** Locates the worker threads relative to itself. Their scripts are in the output. */
const FINDS_WORKERS = 'src/runtime/threads.js';

const { HEAP_FLAGS } = await import(`${COMPILED}src/domain/limits/process.js`);

/** Waits for its opening before it takes requests, which only a module can: a script with a code cache has no await. */
const MODULE_WORKERS = ['live.js'];
const workers = readdirSync(`${COMPILED}workers`).filter(
  (name) => name.endsWith('.js') && !MODULE_WORKERS.includes(name),
);
const MAIN = 'src/main';
/** Main program, first, and threads of the service. */
const SCRIPTS = [MAIN, ...workers.map((name) => `workers/${name.slice(0, -'.js'.length)}`)];

/**
 * Keeps import.meta.url of a module, so that it finds its files in dist/src. All joined code of src/ is in one folder.
 */
const keepPlace = {
  name: 'keep-place',
  transform: {
    // The folder is no pattern of the filter: its path may have characters of one, such as braces.
    filter: { code: { include: 'import.meta.url' } },
    handler(code, id) {
      if (!id.startsWith(`${COMPILED}src/`)) return null;
      const from = id.endsWith(FINDS_WORKERS) ? `${COMPILED}src/` : `${OUTPUT}src/`;
      const place = relative(from, id);
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
    },
  },
};

const common = { external: EXTERNAL, platform: 'node', plugins: [keepPlace] };

await build({
  ...common,
  input: Object.fromEntries(PROGRAMS.map((name) => [name, `${COMPILED}${name}.js`])),
  output: { dir: OUTPUT, cleanDir: true, entryFileNames: '[name].js', chunkFileNames: 'src/[name].js' },
});

/** The same script in ASCII: V8 keeps a script with other characters in twice the memory. */
function inAscii(script) {
  return script.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Runs a script with its code cache. Only a script of CommonJS can have one. V8 refuses the cache of another version or
 * processor; then it compiles the script as usual.
 */
const RUN_SCRIPT = `
const { existsSync, readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

exports.compile = (filename) => {
  const cache = filename + '.cache';
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  return new Script(wrap(readFileSync(filename, 'latin1')), { filename, cachedData });
};

exports.run = (filename) => {
  const module = { exports: {} };
  const script = exports.compile(filename).runInThisContext();
  script(module.exports, createRequire(filename), module, filename, dirname(filename));
  return module.exports;
};
`;

const MAIN_ENTRY = `
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

createRequire(import.meta.url)('../run-script.cjs').run(fileURLToPath(import.meta.url).replace(/js$/, 'cjs'));
`;
const THREAD_ENTRY = `
module.exports = require('../run-script.cjs').run(__filename.replace(/js$/, 'cjs')).default ?? {};
`;

function moduleName(name) {
  return name.replace(/js$/, 'mjs');
}

for (const name of SCRIPTS) {
  await build({
    ...common,
    input: `${COMPILED}${name}.js`,
    output: { file: `${OUTPUT}${name}.cjs`, format: 'cjs', exports: 'named', codeSplitting: false, comments: false },
  });
}
for (const name of MODULE_WORKERS) {
  await build({
    ...common,
    input: `${COMPILED}workers/${name}`,
    output: { file: `${OUTPUT}workers/${moduleName(name)}`, format: 'es', codeSplitting: false },
  });
}
writeFileSync(`${OUTPUT}run-script.cjs`, RUN_SCRIPT);
const { compile } = createRequire(import.meta.url)(`${OUTPUT}run-script.cjs`);
for (const name of SCRIPTS) {
  const script = `${OUTPUT}${name}.cjs`;
  writeFileSync(script, inAscii(readFileSync(script, 'utf8')));
  writeFileSync(`${script}.cache`, compile(script).createCachedData());
  // V8 refuses a cache that was made with other flags. The main program sets these before it starts the threads.
  if (name === MAIN) for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  writeFileSync(`${OUTPUT}${name}.js`, name === MAIN ? MAIN_ENTRY : THREAD_ENTRY);
}
for (const name of MODULE_WORKERS) {
  writeFileSync(`${OUTPUT}workers/${name}`, `module.exports = import('./${moduleName(name)}');\n`);
}
// A thread that begins with a module would load Node's loader of modules at each start.
writeFileSync(`${OUTPUT}workers/package.json`, '{ "type": "commonjs" }\n');

/** Licences of the packages in the console's script: they ask to be kept with each copy. Owners by their terms. */
const licences = new Map();
for (const name of ['preact/LICENSE', 'uplot/LICENSE', 'big.js/LICENCE.md']) {
  const text = readFileSync(new URL(`../../node_modules/${name}`, import.meta.url), 'utf8');
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim());
  const terms = paragraphs.filter((paragraph) => !paragraph.startsWith('Copyright')).join('\n');
  const owners = paragraphs.filter((paragraph) => paragraph.startsWith('Copyright'));
  licences.set(terms, [...(licences.get(terms) ?? []), name, ...owners]);
}
const notice = [...licences].map(([terms, owners]) => `${owners.join('\n')}\n${terms}\n`).join('\n');

await build({
  input: `${COMPILED}src/console/main.js`,
  platform: 'browser',
  transform: { target: 'es2022' },
  output: {
    file: `${COMPILED}src/console/page.js`,
    minify: true,
    comments: false,
    postBanner: `/*\n${notice}*/`,
  },
});
