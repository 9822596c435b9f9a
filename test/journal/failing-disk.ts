import { nodeDisk, type Disk } from '../../src/storage/disk.js';

export type Fault =
  /** The n-th write takes only some of its bytes and the next write none, as on a full disk. */
  | { readonly kind: 'full'; readonly atWrite: number; readonly bytesTaken: number }
  /** The n-th sync fails, although the bytes were written. */
  | { readonly kind: 'sync'; readonly atSync: number };

/** The real disk until a fault is due; writes and syncs are counted from 1. */
export function failingDisk(fault: Fault): Disk {
  let writeCount = 0;
  let syncCount = 0;
  return {
    ...nodeDisk,
    write(...request) {
      writeCount += 1;
      if (fault.kind !== 'full' || writeCount < fault.atWrite) {
        return nodeDisk.write(...request);
      }
      if (writeCount > fault.atWrite)
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const [file, bytes, offset, length, position] = request;
      return nodeDisk.write(file, bytes, offset, Math.min(length, fault.bytesTaken), position);
    },
    datasync(file) {
      syncCount += 1;
      if (fault.kind === 'sync' && syncCount >= fault.atSync) throw new Error('EIO: i/o error, fdatasync');
      nodeDisk.datasync(file);
    },
  };
}
