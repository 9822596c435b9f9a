import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Files that start a program, for a test or for the command line. */
const STARTERS = new Set(['src/cli/demo/service-process.ts']);
const PACKAGES = new Set(['node:child_process', 'playwright-core']);
/** A path into the output of the build. */
const BUILT = /\bdist\/(?:src|workers|service|bench|test)\b/;

interface Source {
  readonly imports: readonly string[];
  readonly usesBuild: boolean;
}

const sources = new Map<string, Source>();

/** What a file imports at run time: packages, and files by their path from the root. */
function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const names = tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const isType = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    const { moduleSpecifier } = statement;
    return !isType && moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier)
      ? [moduleSpecifier.text]
      : [];
  });
  const imports = names.map((name) => (name.startsWith('.') ? pathOf(file, name) : name));
  // A comment may name a path of the build.
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const source = { imports, usesBuild: BUILT.test(code) };
  sources.set(file, source);
  return source;
}

function pathOf(importer: string, name: string): string {
  const path = join(ROOT, dirname(importer), name);
  const found = ['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending)).find((one) => existsSync(one));
  return relative(ROOT, found ?? path);
}

/** Why a spec file cannot be tier 1: the chain of imports that ends at a starter of programs or at the build. */
function obstacles(spec: string): readonly string[] {
  const found: string[] = [];
  const seen = new Set([spec]);
  const visit = (chain: readonly string[]): void => {
    const file = chain.at(-1) as string;
    const { imports, usesBuild } = sourceOf(file);
    if (usesBuild) found.push([...chain, 'dist/'].join(' → '));
    for (const name of imports) {
      const isStarter = PACKAGES.has(name) || STARTERS.has(name);
      if (isStarter) found.push([...chain, name].join(' → '));
      if (isStarter || seen.has(name) || !name.startsWith('test/') || !name.endsWith('.ts')) continue;
      seen.add(name);
      visit([...chain, name]);
    }
  };
  visit([spec]);
  return found;
}

const specs = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.spec.ts'))
  .map((name) => `test/${name}`);

it('runs unit tests inside the test process, without a build', () => {
  const unit = specs.filter((name) => !/\.(service|long)\.spec\.ts$/.test(name));
  expect(unit.length).toBeGreaterThan(300);
  expect(unit.flatMap(obstacles)).toEqual([]);
});

it('has no test in the service tier that could run inside the test process', () => {
  const service = specs.filter((name) => name.endsWith('.service.spec.ts'));
  expect(service.length).toBeGreaterThan(50);
  expect(service.filter((name) => obstacles(name).length === 0)).toEqual([]);
});
