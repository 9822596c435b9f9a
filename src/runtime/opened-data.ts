import type { Logger } from 'pino';
import { recoverJournal } from '../journal/recovery.js';
import type { RecoveredJournal } from '../journal/open-journal.js';
import { upgradeData } from '../journal/format/data-upgrade.js';
import type { StoredMarket } from '../keys/port.js';
import { foldEnvelope } from '../order/evolve.js';
import { recordFormat, refuseLaterFormat } from '../storage/data-format.js';
import { isEmptyFolder, journalFolder, refuseUnfinished } from '../storage/data-directory.js';
import { makeDurableFolder, nodeDisk } from '../storage/disk.js';
import { DiskReserve } from '../storage/disk-reserve.js';
import { ProcessClaim } from '../storage/process-claim.js';
import type { Config } from './config.js';
import { openIdentity, type Identity, removeKeyDrafts } from './identity.js';
import { refuseUnsafeStart, unreadWallets } from './live-start.js';
import { ServiceTime } from './service-time.js';

interface DataParts {
  readonly config: Config;
  readonly masterKey: string | undefined;
  readonly log: Logger;
}

/** What a start opens in the data directory. */
export interface OpenedData {
  readonly identity: Identity;
  readonly journal: RecoveredJournal;
  readonly time: ServiceTime;
  /** Instruments of real exchanges that an earlier start has listed. */
  readonly listed: readonly StoredMarket[];
  /** True when the directory had no journal. */
  readonly isNew: boolean;
}

/**
 * Claims the data directory, recovers the journal, starts service time, and checks that the directory fits the modes of
 * the exchanges. Throws with the reason of a start that must not be.
 */
export function openData({ config, masterKey, log }: DataParts): OpenedData {
  const { dataDir } = config;
  const claim = claimData(dataDir, log);
  const identity = openIdentity(dataDir, { masterKey });
  const isNew = isEmptyFolder(journalFolder(dataDir));
  const journal = recoverJournal({ dataDir, fold: foldEnvelope, log, claim });
  const listed = identity.instruments.load();
  try {
    const { simSpeed: speed, clockConfirmMs: confirmedMs } = config;
    const time = new ServiceTime({ dataDir, speed, lastServiceMs: journal.lastServiceMs, confirmedMs, log });
    refuseUnsafeStart({
      modes: config.live,
      hasListed: listed.length > 0,
      state: journal.reader.latest(),
      keys: identity.venueKeyDirectory,
      riskLimits: identity.riskLimitDirectory,
    });
    const folder = unreadWallets(dataDir);
    if (folder !== null) log.warn({ folder }, 'no mode of this release reads these wallets: the folder may be removed');
    return { identity, journal, time, listed, isNew };
  } catch (error) {
    // The state is complete, so the next start may open it as it is.
    journal.trustState();
    throw error;
  }
}

/** Claims the data directory, and brings its data to the format of this release. Makes it when it is missing. */
function claimData(dataDir: string, log: Logger): ProcessClaim {
  refuseUnfinished(dataDir);
  refuseLaterFormat(dataDir);
  // This comes before any other write.
  if (new DiskReserve(dataDir).releaseWhenFull()) log.warn('the disk is full: its reserve is released');
  makeDurableFolder(nodeDisk, dataDir);
  recordFormat(dataDir);
  // A command that opens the databases itself holds the claim meanwhile.
  const claim = ProcessClaim.take(dataDir);
  upgradeData({ dataDir, log, claim });
  removeKeyDrafts(dataDir, Date.now());
  return claim;
}
