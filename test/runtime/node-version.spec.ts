import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refusalOfNode } from '../../src/runtime/node-version.js';

it.each(['20.15.0', '20.20.1', '20.9.0', '18.20.8', '19.0.0'])('Node %s is refused', (version) => {
  const message = `Node ${version} lacks security fixes; Sluice needs Node 20.20.2 or later`;
  expect(refusalOfNode(version)).toBe(message);
});

it.each(['20.20.2', '20.20.10', '20.21.0', '24.1.0', process.versions.node])('Node %s is accepted', (version) => {
  expect(refusalOfNode(version)).toBeNull();
});

it('package.json names the first version that is accepted', () => {
  const root = join(import.meta.dirname, '../..');
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const { engines } = read('package.json') as { engines: { node: string } };
  const [, first = ''] = /^>=(\d+\.\d+\.\d+)$/.exec(engines.node) ?? [];
  expect(refusalOfNode(first)).toBeNull();
  const [major, minor, patch] = first.split('.').map(Number);
  expect(refusalOfNode(`${major}.${minor}.${patch! - 1}`)).not.toBeNull();
  const lock = read('package-lock.json') as { packages: { '': { engines: { node: string } } } };
  expect(lock.packages[''].engines.node).toBe(engines.node);
});
