import { createSecretKey, randomBytes } from 'node:crypto';
import { recordFormat, refuseOtherFormat } from '../storage/data-format.js';
import {
  CancelAllAfterTimers,
  ChildSettlements,
  QuarantineReleases,
  SessionRecords,
  TradingStore,
} from '../keys/trading-store.js';
import { hasDatabase, openDatabase } from '../keys/database.js';
import { RiskLimitDirectory } from '../risk/limit-directory.js';
import { RiskLimitStore } from '../risk/limit-store.js';
import { StoredKeyDirectory } from '../keys/key-directory.js';
import { KeyStore } from '../keys/key-store.js';
import { MASTER_KEY_FILE } from '../storage/data-directory.js';
import { makeDurableFolder, nodeDisk } from '../storage/disk.js';
import { MASTER_KEY_VARIABLE, MasterKeyError, readMasterKey, Vault } from '../keys/vault.js';
import { OrderIds, Settings } from '../keys/settings.js';
import { InstrumentRegistry } from '../keys/instrument-registry.js';
import { VenueKeyStore } from '../keys/venue-key-store.js';
import { StoredVenueKeys } from '../keys/venue-keys.js';

export { hasDatabase } from '../keys/database.js';
export { RiskLimitDirectory } from '../risk/limit-directory.js';
export type { RiskLimitChange, StoredRiskLimits, StoredKillSwitch } from '../risk/limit-store.js';
export type { CreatedKey, KeyRequest, ListedKey, NewKey } from '../keys/key-store.js';
export { TradingStore } from '../keys/trading-store.js';
export { MasterKeyError, masterKeyText, removeKeyDrafts } from '../keys/vault.js';

export interface IdentityOptions {
  /** Text of SLUICE_MASTER_KEY; undefined: the generated `<dataDir>/master.key`. */
  readonly masterKey?: string | undefined;
}

/**
 * API keys, keys of exchanges, settings, risk limits and id counters. Threads of one process may open it at the same
 * time. Only the holder of the claim of the data directory opens it while others may (adr/0095).
 */
export interface Identity {
  readonly keys: KeyStore;
  readonly directory: StoredKeyDirectory;
  readonly settings: Settings;
  readonly ids: OrderIds;
  readonly timers: CancelAllAfterTimers;
  readonly riskLimits: RiskLimitStore;
  readonly riskLimitDirectory: RiskLimitDirectory;
  readonly trading: TradingStore;
  readonly releases: QuarantineReleases;
  readonly settlements: ChildSettlements;
  readonly sessions: SessionRecords;
  readonly instruments: InstrumentRegistry;
  readonly venueKeys: VenueKeyStore;
  /** Opens keys of exchanges. For the gateways of exchanges and `venue-keys check` only. */
  readonly venueKeyDirectory: StoredVenueKeys;
  /** Resolves when no write is pending. null: none is. */
  settled(): Promise<void> | null;
  close(): Promise<void>;
}

/**
 * Opens `<dataDir>/identity` and creates missing parts. Only the owner can read its folders. Throws OtherFormat,
 * before it creates anything, when this release cannot read the data. Throws MasterKeyError when the master key is
 * missing, malformed, or not the key that sealed the secrets.
 */
export function openIdentity(dataDir: string, options: IdentityOptions = {}): Identity {
  refuseOtherFormat(dataDir);
  makeDurableFolder(nodeDisk, dataDir);
  recordFormat(dataDir);
  // Checked before the key: a process that creates a database creates the key first.
  const hasSecrets = hasDatabase(dataDir);
  const vault = new Vault(readMasterKey(dataDir, options.masterKey, hasSecrets));
  const {
    root,
    keys,
    settings: settingsTable,
    ids,
    timers,
    riskLimits,
    trading,
    releases,
    settlements,
    sessions,
    instruments,
    markets,
    venueKeys,
    writes,
  } = openDatabase(dataDir);
  const settings = new Settings(settingsTable, vault);
  const close = (): Promise<void> => root.close();
  if (!settings.acceptsMasterKey()) {
    void close();
    throw new MasterKeyError(
      `the secrets in ${dataDir} were sealed by another master key; ` +
        `set ${MASTER_KEY_VARIABLE} or put back ${MASTER_KEY_FILE} as it was when they were made`,
    );
  }
  const directory = new StoredKeyDirectory(keys, vault);
  return {
    keys: new KeyStore(keys, vault, () => directory.forgetLatest()),
    directory,
    settings,
    ids: new OrderIds(ids),
    timers: new CancelAllAfterTimers(timers),
    riskLimits: new RiskLimitStore(riskLimits),
    riskLimitDirectory: new RiskLimitDirectory(riskLimits),
    trading: new TradingStore(trading),
    releases: new QuarantineReleases(releases),
    settlements: new ChildSettlements(settlements),
    sessions: new SessionRecords(sessions),
    instruments: new InstrumentRegistry({ instruments, markets }),
    venueKeys: new VenueKeyStore(venueKeys, vault),
    venueKeyDirectory: new StoredVenueKeys(venueKeys, vault, () => Date.now()),
    settled: () => writes.settled(),
    close,
  };
}

/** Opens the parts of a restored directory that need no master key, because the key may be stored elsewhere. */
export function openRestored(dataDir: string): Pick<
  Identity,
  'timers' | 'sessions' | 'riskLimits' | 'trading' | 'close'
> & {
  readonly keys: Omit<KeyStore, 'createKey'>;
} {
  refuseOtherFormat(dataDir);
  const { root, keys, timers, sessions, riskLimits, trading } = openDatabase(dataDir);
  // This key seals and opens nothing.
  const vault = new Vault(createSecretKey(randomBytes(VAULT_KEY_BYTES)));
  return {
    keys: new KeyStore(keys, vault),
    timers: new CancelAllAfterTimers(timers),
    sessions: new SessionRecords(sessions),
    riskLimits: new RiskLimitStore(riskLimits),
    trading: new TradingStore(trading),
    close: () => root.close(),
  };
}

const VAULT_KEY_BYTES = 32;
