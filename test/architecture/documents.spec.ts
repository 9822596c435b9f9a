import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const README_LINES_MAX = 200;

const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');

/** Targets of relative links in a Markdown text, without the part after `#`. */
function linksOf(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.split('#')[0] ?? '')
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

/** Names in code font that have the form of a source file or folder: `folder/file`. */
function sourceNamesOf(text: string): readonly string[] {
  return [...text.matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9.-]+)+\/?)`/g)].map(([, name = '']) => name);
}

/**
 * True for a source file. `data/…` is the data directory, `dist/…` is built and `refs/…` is of git: they count as
 * present.
 */
function isSource(name: string): boolean {
  if (/^(data|dist|refs)\//.test(name)) return true;
  const places = [name, `src/${name}`].map((place) => join(ROOT, place));
  return places.some((place) => ['', '.ts', '.tsx', '.js'].some((ending) => existsSync(place + ending)));
}

describe('documents', () => {
  const inSource = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const documents = [
    'README.md',
    'CHANGELOG.md',
    ...inSource.filter((name) => name.endsWith('.md')).map((name) => `src/${name}`),
  ];

  it.each(documents)('%s links to files that exist', (document) => {
    const folder = dirname(join(ROOT, document));
    const missing = linksOf(textOf(document)).filter((target) => !existsSync(join(folder, target)));
    expect(missing).toEqual([]);
  });

  it.each(documents)('%s names only source files that exist', (document) => {
    const missing = sourceNamesOf(textOf(document)).filter((name) => !isSource(name));
    expect(missing).toEqual([]);
  });

  it('recognizes a link and a source name without a file', () => {
    expect(linksOf('[a](src/gone.md#b) [c](https://d)')).toEqual(['src/gone.md']);
    expect(sourceNamesOf('`order/gone` and `POST /x`').filter((name) => !isSource(name))).toEqual(['order/gone']);
  });

  it('keeps the README within 200 lines', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
  });
});
