import { BUILD_ATTEMPTS_COUNT_MAX } from '../../domain/limits/process.js';
import { currentBootId } from '../../storage/clock-record.js';
import { stateFolder } from '../../storage/data-directory.js';
import { readFormat } from '../../storage/data-format.js';
import { type Disk, nodeDisk } from '../../storage/disk.js';
import { upgradeDirectory } from '../../storage/format/directory-upgrade.js';
import { type DataFormat, PRESENT_FORMAT } from '../../storage/format/format-steps.js';
import { ProcessClaim } from '../../storage/process-claim.js';
import type { JournalLog } from '../port.js';
import { BuildAttempts } from '../state-build.js';
import { isTrusted, readStamp } from '../trust-stamp.js';

/** Name of an upgrade in the record of attempts. */
const UPGRADE = 'upgrade';

interface UpgradeOptions {
  readonly dataDir: string;
  readonly log: JournalLog;
  /** The caller's claim of the data directory, which it keeps. Default: it is taken for the upgrade. */
  readonly claim?: ProcessClaim;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
  /** Identifies the machine's boot. Default: the system's boot id. */
  readonly bootId?: string;
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
}

/**
 * Upgrades a data directory of an earlier format before the service opens it, or finishes an upgrade. Does nothing to
 * data of the present format. Throws OtherFormat for data of a later format, ClaimedFolder when another process uses
 * the directory.
 *
 * LMDB can end the process on a damaged file. So after BUILD_ATTEMPTS_COUNT_MAX starts that ended in an upgrade, the
 * state is put aside, and the start builds it from a checkpoint.
 */
export function upgradeData(options: UpgradeOptions): void {
  const { dataDir, log, format = PRESENT_FORMAT, bootId = currentBootId(), disk = nodeDisk } = options;
  const record = readFormat(dataDir, format);
  if (record === null || (record.format === format.number && record.from === undefined)) return;
  const claim = options.claim ?? ProcessClaim.take(dataDir);
  const attempts = new BuildAttempts(dataDir, disk);
  try {
    const from = record.from ?? record.format;
    log.info({ from, to: format.number }, 'the data is upgraded');
    const mayReadState = attempts.countOf(UPGRADE) < BUILD_ATTEMPTS_COUNT_MAX;
    attempts.begin(UPGRADE);
    const isStateTrusted = mayReadState && isTrusted(readStamp(stateFolder(dataDir)), bootId);
    upgradeDirectory({ dataDir, format, disk, isStateTrusted });
    attempts.clear();
    log.info({ from, to: format.number }, 'the upgrade of the data is complete');
  } catch (error) {
    // An error is reported to the operator. Only an upgrade that ended the process counts.
    attempts.clear();
    throw error;
  } finally {
    if (options.claim === undefined) claim.release();
  }
}
