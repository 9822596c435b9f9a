import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, type MockInstance, vi } from 'vitest';
import { claimFolder, makeFolder } from '../../src/storage/data-directory.js';
import { FILE_MODE } from '../../src/storage/disk.js';
import { ClaimedFolder, ProcessClaim } from '../../src/storage/process-claim.js';
import { Folders } from './journal-world.js';

/** Inodes of the lock files that are claimed. Each file stays open, so the system does not use its inode again. */
const claimed = new Set<bigint>();

/**
 * Data folders of one test file, removed at its end. Until then the journals of this process claim their folders in its
 * memory. The real claim starts the program flock at each start of a journal: 40 ms in a test process of 1 GB.
 */
export function dataFolders(): Folders {
  const folders = new Folders();
  let spy: MockInstance | undefined;
  beforeAll(() => {
    spy = vi.spyOn(ProcessClaim, 'take').mockImplementation(take);
  });
  afterAll(() => {
    spy?.mockRestore();
    folders.removeAll();
  });
  return folders;
}

function take(dataDir: string): ProcessClaim {
  const folder = claimFolder(dataDir);
  makeFolder(folder);
  const file = openSync(join(folder, 'lock'), constants.O_RDWR | constants.O_CREAT, FILE_MODE);
  const { ino } = fstatSync(file, { bigint: true });
  if (claimed.has(ino)) {
    closeSync(file);
    throw new ClaimedFolder(`${dataDir} is in use by this process`);
  }
  claimed.add(ino);
  const release = (): void => {
    claimed.delete(ino);
    closeSync(file);
  };
  return { release } as unknown as ProcessClaim;
}
