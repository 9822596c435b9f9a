import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const RECORDS_MAX = 42;
const RECORD_LINES_MAX = 60;

const records = readdirSync(join(ROOT, 'src/adr')).toSorted();
const numbers = new Set(records.map((name) => Number(name.slice(0, 4))));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Numbers of decision records that a text refers to, as `adr/0059` or as ADR with the plain number. */
function referencesOf(text: string): readonly number[] {
  return [...text.matchAll(/\badr\/(\d{4})|\bADR (\d+)/g)].map(([, path, plain]) => Number(path ?? plain));
}

/** A record states its number in its heading, and below it whether it holds or which record has replaced it. */
function hasHead(name: string, text: string): boolean {
  const [heading = '', , status = ''] = text.split('\n');
  return (
    heading.startsWith(`# ${Number(name.slice(0, 4))}. `) && /^Status: (accepted|superseded by ADR \d+)\b/.test(status)
  );
}

describe('decision records', () => {
  it(`are at most ${RECORDS_MAX}, each with a number of its own`, () => {
    expect(records.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name))).toEqual([]);
    expect(numbers.size).toBe(records.length);
    expect(records.length).toBeLessThanOrEqual(RECORDS_MAX);
  });

  it('have a heading with their number and a status line', () => {
    expect(records.filter((name) => !hasHead(name, textOf(`src/adr/${name}`)))).toEqual([]);
  });

  it(`have at most ${RECORD_LINES_MAX} lines, with the context and the decision`, () => {
    const unfit = records.filter((name) => {
      const text = textOf(`src/adr/${name}`);
      const isComplete = text.includes('**Context.**') && /\*\*Decision[.: ]/.test(text);
      return !isComplete || text.trimEnd().split('\n').length > RECORD_LINES_MAX;
    });
    expect(unfit).toEqual([]);
  });

  it('exist when code or a document refers to them', () => {
    const sources = ['src', 'test', 'bench', 'workers', 'proto'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
    const texts = ['README.md', 'CHANGELOG.md', ...sources].filter(
      (path) =>
        /\.(?:ts|tsx|js|md|proto|sh|ya?ml)$/.test(path) && !/wire\/generated|test\/architecture\/records/.test(path),
    );
    const references = texts.flatMap((path) => referencesOf(textOf(path)).map((number) => ({ path, number })));
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter(({ number }) => !numbers.has(number))).toEqual([]);
  });

  it('recognizes a reference to a record that is gone, and a record without a status', () => {
    expect(referencesOf('because (src/adr/0099) and ADR 7')).toEqual([99, 7]);
    expect(hasHead('0007-a.md', '# 7. A title\n\n**Context.** None.\n')).toBe(false);
    expect(hasHead('0007-a.md', '# 7. A title\n\nStatus: superseded by ADR 59.\n')).toBe(true);
  });
});
