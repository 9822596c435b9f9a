import type { ProbedAccount, ProbeLine } from '../../venue/live/account-probe.js';
import type { Venue } from '../../domain/exchange.js';
import type { RestoreChoices, RestoreSummary } from './restored-data.js';

/** Result of `journal verify`. */
export interface JournalReport {
  readonly entries: number;
  readonly orders: number;
  readonly feeds: number;
  /** Empty when the journal and the state agree. */
  readonly problems: readonly string[];
}

/** Work on a data directory. Implemented by code of the service, which the command line does not import. */
export interface Maintenance {
  /** True while a service runs on the directory, and when that cannot be found out. */
  isServed(dataDir: string): boolean;
  verifyJournal(dataDir: string): Promise<JournalReport>;
  /** backup, restore and finishRestore reject with an error whose message is for the operator. */
  backup(dataDir: string, target: string, options: { withMasterKey: boolean }): Promise<void>;
  restore(source: string, dataDir: string): Promise<RestoreSummary>;
  finishRestore(source: string, dataDir: string, choices: RestoreChoices, reason?: string): Promise<void>;
}

/** Asks real exchanges. Implemented by code of the service, which the command line does not import. */
export interface LiveChecks {
  /** null: the exchange is simulated only. */
  readonly probe: (venue: Venue, account: ProbedAccount) => Promise<readonly ProbeLine[] | null>;
}
