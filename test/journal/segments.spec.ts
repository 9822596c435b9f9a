import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SegmentFolder } from '../../src/journal/segments.js';
import { ForgetfulDisk } from './forgetful-disk.js';
import { Folders } from './journal-world.js';

const SEGMENT_BYTES = 4096;
const folders = new Folders();
afterAll(() => folders.removeAll());

test('a cut of a torn tail is on disk when it returns: a power loss brings no later segment back', () => {
  const [root, image] = [folders.fresh(), folders.fresh()];
  const path = join(root, 'journal');
  mkdirSync(path);
  for (const number of [1, 2, 3]) new SegmentFolder(path, SEGMENT_BYTES).create(number);
  const disk = new ForgetfulDisk(root);
  const folder = new SegmentFolder(path, SEGMENT_BYTES, disk);
  folder.cutAt(folder.startOf(1) + 128);
  // Every name and sector that was not synced is lost.
  disk.image(image, () => 0);
  disk.end();
  expect(readdirSync(join(image, 'journal'))).toEqual(['0000000001.segment']);
});
