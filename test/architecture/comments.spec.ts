import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/* The formatter keeps the width of the code and leaves comments as they are. */

const ROOT = join(import.meta.dirname, '../..');
const WIDTH = 120;

it(`has no line of a comment with more than ${WIDTH} characters`, () => {
  const files = ['src', 'test', 'bench', 'workers', 'proto'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|tsx|js|proto)$/.test(name) && !name.includes('generated'))
      .map((name) => `${folder}/${name}`),
  );
  const long = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        line.length > WIDTH && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${index + 1}`] : [],
      ),
  );
  expect(files.length).toBeGreaterThan(1_000);
  expect(long).toEqual([]);
});
