import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../src/client');
const EXAMPLES = readdirSync(join(FOLDER, 'examples')).filter((name) => name !== 'tsconfig.json');
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const ORDERS = readFileSync(join(FOLDER, '../docs/orders.md'), 'utf8');
/** The README of the service: its commands are not of the client, so only its JavaScript is looked at. */
const CLIENT_OF_SERVICE = (
  readFileSync(join(FOLDER, '../../README.md'), 'utf8').match(/^```js\n[^]*?^```$/gm) ?? []
).join('\n');
const SHOWN = EXAMPLES.map((name) => readFileSync(join(FOLDER, 'examples', name), 'utf8'));
/** The service tier installs the package with the same command. */
const INSTALL = 'npm install ./sluice-client-VERSION.tgz';

/** Without the indentation of the lines: a document shows a part of a function. */
function unindented(text: string): string {
  return text.replaceAll(/^ +/gm, '');
}

function blocksOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, text = '']) => text.trim());
}

// test/client/package.service.spec.ts runs every example.
describe("the client's documents", () => {
  it.each([
    ['README.md', README],
    ['orders.md', ORDERS],
    ['the README of the service', CLIENT_OF_SERVICE],
  ])('%s shows only code of examples that a test runs', (_name, markdown) => {
    const blocks = blocksOf(markdown).filter((block) => block !== INSTALL);
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.filter((block) => !SHOWN.some((text) => unindented(text).includes(unindented(block))))).toEqual([]);
  });

  it('link every example', () => {
    for (const name of EXAMPLES) expect(README).toContain(`](examples/${name})`);
  });
});
