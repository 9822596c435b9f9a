/**
 * Makes dist/src, dist/workers, dist/bench and dist/test: one JavaScript module for each source, without its types,
 * and copies of the files that need no change. Does not check types. Writes what changed since the last build, or
 * everything with --all, and removes the outputs whose source is gone. Prints the number of written files. Exits with 1
 * after a syntax error. Plain JavaScript, because it is part of the build.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';
import { modifiedMs } from './generate-messages.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const DIST = join(ROOT, 'dist');
/** Exists while the joined programs agree with the modules. */
const JOINED = join(DIST, 'service/.joined');
const FOLDERS = ['src', 'workers', 'bench', 'test'];
/** The folders with the modules of the joined programs. */
const OF_PROGRAMS = /^(src|workers)\//;
const MODULE = /(?<!\.d)\.(c?)tsx?$/;
/** Sources that are copied. */
const COPIED = [
  /^src\/wire\/generated\/[^/]+\.js$/,
  /^src\/http\/docs-page\/[^/]+\.(html|css|js)$/,
  /^src\/client\/[^/]+\.js$/,
  /^src\/console\/[^/]+\.(html|css|svg)$/,
  /^src\/http\/auth\/[^/]+\.json$/,
];
/** The style sheet of the console. */
const STYLES = /^src\/console\/[^/]+\.css$/;
/** Styles of the charts of the console, from a package. */
const CHART_STYLES = ['src/console/chart.css', 'node_modules/uplot/dist/uPlot.min.css'];
/** Outputs in these folders that other parts of the build make. */
const FOREIGN = new Set(['src/console/page.js']);
/** The language of tsconfig.json: ECMAScript of 2022, imports as they are written, JSX of the console. */
const LANGUAGE = {
  tsconfig: false,
  target: 'es2022',
  typescript: { onlyRemoveTypeImports: true },
  jsx: { runtime: 'automatic', importSource: 'preact' },
  sourcemap: true,
};
const MAP = '.map';

/** All files below a folder of the project or of the output, as paths like `src/main.ts`. */
function filesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(relative(root, parentPath), name));
}

/** Sources by the path of their output in dist. */
function sourcesByOutput() {
  const sources = FOLDERS.flatMap((folder) => filesIn(ROOT, folder));
  const modules = sources.filter((path) => MODULE.test(path)).map((path) => [path.replace(MODULE, '.$1js'), path]);
  const copies = sources.filter((path) => COPIED.some((pattern) => pattern.test(path))).map((path) => [path, path]);
  return new Map([...modules, ...copies, CHART_STYLES]);
}

/** An output has the time of its source, so that an older source that replaced a newer one counts as a change. */
function isCurrent(output, source) {
  return Math.abs(modifiedMs(join(DIST, output)) - modifiedMs(join(ROOT, source))) < 1;
}

/** The code of a .cts file: it imports only types, and the mark of a module in their place is no CommonJS. */
function asScript(code) {
  return `"use strict"; ${code.replace(/^export \{\};\n/m, '')}`;
}

/** A style sheet without comments and without space that means nothing. */
function compactStyles(text) {
  const plain = text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/\s+/g, ' ');
  return plain
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(';}', '}')
    .replaceAll(': ', ':')
    .trim();
}

/** Writes the output of a source. Returns the text of its syntax errors. */
function emit(output, source) {
  const target = join(DIST, output);
  // Taken before the text is read: a later edit counts as a change.
  const { mtime } = statSync(join(ROOT, source));
  mkdirSync(dirname(target), { recursive: true });
  if (MODULE.test(source)) {
    const text = readFileSync(join(ROOT, source), 'utf8');
    const { code, map, errors } = transformSync(source, text, LANGUAGE);
    if (errors.length > 0) return errors.map(({ message }) => message).join('\n');
    const place = relative(dirname(target), join(ROOT, source));
    writeFileSync(target + MAP, JSON.stringify({ ...map, sources: [place], sourcesContent: undefined }));
    const written = source.endsWith('.cts') ? asScript(code) : code;
    writeFileSync(target, `${written}//# sourceMappingURL=${basename(output)}${MAP}\n`);
  } else if (STYLES.test(source)) {
    writeFileSync(target, compactStyles(readFileSync(join(ROOT, source), 'utf8')));
  } else {
    writeFileSync(target, readFileSync(join(ROOT, source)));
  }
  utimesSync(target, mtime, mtime);
  return '';
}

const sources = sourcesByOutput();
const isAll = process.argv.includes('--all');
const changed = [...sources].filter(([output, source]) => isAll || !isCurrent(output, source));
const gone = FOLDERS.flatMap((folder) => filesIn(DIST, folder)).filter(
  (output) => !sources.has(output.replace(/\.map$/, '')) && !FOREIGN.has(output),
);
if ([...changed.map(([output]) => output), ...gone].some((output) => OF_PROGRAMS.test(output))) {
  rmSync(JOINED, { force: true });
}
for (const output of gone) rmSync(join(DIST, output));
const errors = changed.map(([output, source]) => emit(output, source)).filter((text) => text !== '');
for (const text of errors) process.stderr.write(`${text}\n`);
process.stdout.write((changed.length - errors.length).toLocaleString('en'));
process.exitCode = errors.length > 0 ? 1 : 0;
