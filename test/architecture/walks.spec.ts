import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CREATE_FILES_MAX = 40;
const FILL_FILES_MAX = 45;
const WORDS_MIN = 3;

/** The files of one walk in one thread, in reading order. */
interface Stretch {
  readonly thread: string;
  /** How the order gets into the thread: a socket, an exchange, or a carrier of the message map. */
  readonly boundary: string;
  readonly steps: readonly { readonly number: number; readonly file: string; readonly sentence: string }[];
}

/** Parses the section `### <title>` of ARCHITECTURE: bold lines name thread and boundary, numbered lines name files. */
function walkOf(document: string, title: string): readonly Stretch[] {
  const [, section = ''] = document.split(`\n### ${title}\n`);
  const [text = ''] = section.split(/\n##/);
  return text
    .split(/\n(?=\*\*)/)
    .slice(1)
    .map((part) => {
      const [, thread = '', boundary = ''] = /^\*\*(.+?)\*\*, (?:from|after) the? ?([a-z ]+?)[,:]/.exec(part) ?? [];
      const steps = [...part.matchAll(/^(\d+)\. `([^`]+)` (.+(?:\n {2,}.+)*)/gm)].map(
        ([, number, file = '', sentence = '']) => ({ number: Number(number), file, sentence }),
      );
      return { thread, boundary, steps };
    });
}

/** Carriers of the message map: the second column of its rows. */
function carriersOf(document: string): readonly string[] {
  const [, section = ''] = document.split('\n### Message map\n');
  const [text = ''] = section.split(/\n##/);
  return [...text.matchAll(/^\|[^|]+\| ([^|]+?) *\|/gm)].map(([, carrier = '']) => carrier);
}

function pathOf(file: string): string {
  return join(ROOT, file.startsWith('workers/') ? file : `src/${file}`);
}

/** Absolute paths of the relative imports of a source file. */
function importsOf(path: string): ReadonlySet<string> {
  const specifiers = readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)\.js'/g);
  return new Set([...specifiers].map(([, specifier = '']) => `${join(dirname(path), specifier)}.ts`));
}

/** Files without an import from or to an earlier file of the walk. The first file of a thread is exempt. */
function unconnectedOf(walk: readonly Stretch[]): readonly string[] {
  const unconnected: string[] = [];
  const earlier: string[] = [];
  for (const { steps } of walk) {
    for (const [index, { file }] of steps.entries()) {
      const path = pathOf(file);
      const imports = importsOf(path);
      const isConnected = earlier.some((other) => imports.has(other) || importsOf(other).has(path));
      if (index > 0 && !isConnected) unconnected.push(file);
      earlier.push(path);
    }
  }
  return unconnected;
}

describe('walks in ARCHITECTURE', () => {
  const document = readFileSync(join(ROOT, 'src/ARCHITECTURE.md'), 'utf8');

  describe.each([
    { title: 'One create', filesMax: CREATE_FILES_MAX, threads: 4 },
    { title: 'One fill', filesMax: FILL_FILES_MAX, threads: 6 },
  ])('$title', ({ title, filesMax, threads }) => {
    const walk = walkOf(document, title);
    const steps = walk.flatMap((stretch) => stretch.steps);

    it(`names at most ${filesMax} files, each once`, () => {
      expect(walk).toHaveLength(threads);
      expect(steps.length).toBeGreaterThan(filesMax / 2);
      expect(steps.length).toBeLessThanOrEqual(filesMax);
      expect(new Set(steps.map(({ file }) => file)).size).toBe(steps.length);
    });

    it('numbers the files in order and describes each in a sentence', () => {
      expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
      const bare = steps.filter(({ sentence }) => !sentence.endsWith('.') || sentence.split(/\s+/).length < WORDS_MIN);
      expect(bare).toEqual([]);
    });

    it('names only files that exist', () => {
      expect(steps.map(({ file }) => file).filter((file) => !existsSync(pathOf(file)))).toEqual([]);
    });

    it('enters each thread by a socket, an exchange or a carrier of the message map', () => {
      const boundaries = new Set(['socket', 'exchange', ...carriersOf(document)]);
      expect(walk.filter(({ thread, boundary }) => thread === '' || !boundaries.has(boundary))).toEqual([]);
    });

    it('connects each file to an earlier one by an import', () => {
      expect(unconnectedOf(walk)).toEqual([]);
    });
  });

  it('recognizes a file without a connection', () => {
    const text =
      '\n### One loop\n\n**Main thread**, from the socket:\n\n1. `cli/main.ts` starts.\n2. `domain/time.ts` is not used.\n';
    const walk = walkOf(text, 'One loop');
    expect(walk.map(({ boundary }) => boundary)).toEqual(['socket']);
    expect(unconnectedOf(walk)).toEqual(['domain/time.ts']);
  });
});
