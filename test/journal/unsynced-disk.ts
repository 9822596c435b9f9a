import { accessSync } from 'node:fs';
import { type Disk, nodeDisk } from '../../src/storage/disk.js';

/**
 * The real disk without its syncs. The end of a process loses no unsynced bytes, so only tests of power losses need
 * syncs: see ForgetfulDisk.
 */
export const unsyncedDisk: Disk = { ...nodeDisk, sync: accessSync, datasync: () => undefined };
