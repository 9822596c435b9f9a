import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { recordFormats, refuseOtherFormat } from '../data-format.js';
import { CancelSwitches } from './cancel-switches.js';
import { hasDatabase, openDatabase } from './database.js';
import { GuardrailDirectory } from './guardrail-directory.js';
import { GuardrailStore } from './guardrail-store.js';
import { KeyDirectory } from './key-directory.js';
import { KeyStore } from './key-store.js';
import { MASTER_KEY_FILE, MASTER_KEY_VARIABLE, MasterKeyError, readMasterKey } from './master-key.js';
import { OrderIds } from './order-ids.js';
import { QuarantineReleases } from './quarantine-releases.js';
import { Settings } from './settings.js';
import { TradingStore } from './trading-store.js';
import { Vault } from './vault.js';

export { hasDatabase } from './database.js';
export { GuardrailDirectory } from './guardrail-directory.js';
export type { GuardrailChange, HeldGuardrails, HeldHalt } from './guardrail-store.js';
export type { Permission } from './key-row.js';
export type { CreatedKey, KeyRequest, ListedKey } from './key-store.js';
export { TradingStore } from './trading-store.js';
export { MasterKeyError } from './master-key.js';

export interface IdentityOptions {
  /** Text of SLUICE_MASTER_KEY; undefined: the generated `<dataDir>/master.key`. */
  readonly masterKey?: string | undefined;
}

/** Who may use the service, and the names that must never repeat. Several processes may have it open at once. */
export interface Identity {
  readonly keys: KeyStore;
  readonly directory: KeyDirectory;
  readonly settings: Settings;
  readonly ids: OrderIds;
  readonly switches: CancelSwitches;
  readonly guardrails: GuardrailStore;
  readonly guardrailDirectory: GuardrailDirectory;
  readonly trading: TradingStore;
  readonly releases: QuarantineReleases;
  /**
   * Makes reads see the last commit, which another process can hide when it opens the database. Called once a second
   * while a service runs; the thread does not wait for a process that writes.
   */
  checkCommits(): void;
  close(): Promise<void>;
}

/**
 * Opens `<dataDir>/identity`, making what is missing (folders readable by their owner only).
 * Throws OtherFormat when this release cannot read the data, before anything is made.
 * Throws MasterKeyError when the master key is missing, malformed, or not the one the secrets were sealed with.
 */
export function openIdentity(dataDir: string, options: IdentityOptions = {}): Identity {
  refuseOtherFormat(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  recordFormats(dataDir);
  // Looked at before the key: whoever makes a database has made the key first.
  const hasSecrets = hasDatabase(dataDir);
  const vault = new Vault(readMasterKey(dataDir, options.masterKey, hasSecrets));
  const { root, keys, settings: settingsTable, ids, switches, guardrails, trading, releases } = openDatabase(dataDir);
  const settings = new Settings(settingsTable, vault);
  const close = (): Promise<void> => root.close();
  if (!settings.acceptsMasterKey()) {
    void close();
    throw new MasterKeyError(
      `the secrets in ${dataDir} were sealed by another master key; ` +
        `set ${MASTER_KEY_VARIABLE} or put back ${MASTER_KEY_FILE} as it was when they were made`,
    );
  }
  return {
    keys: new KeyStore(keys, vault),
    directory: new KeyDirectory(keys, vault),
    settings,
    ids: new OrderIds(ids),
    switches: new CancelSwitches(switches),
    guardrails: new GuardrailStore(guardrails),
    guardrailDirectory: new GuardrailDirectory(guardrails),
    trading: new TradingStore(trading),
    releases: new QuarantineReleases(releases),
    checkCommits: () => void root.transaction(() => undefined),
    close,
  };
}

/** What can be read and changed of a restored directory without its master key, which may be kept elsewhere. */
export function openRestored(
  dataDir: string,
): Pick<Identity, 'switches' | 'guardrails' | 'trading' | 'close'> & { readonly keys: Omit<KeyStore, 'createKey'> } {
  const { root, keys, switches, guardrails, trading } = openDatabase(dataDir);
  // Nothing is sealed or opened with it.
  const vault = new Vault(createSecretKey(randomBytes(VAULT_KEY_BYTES)));
  return {
    keys: new KeyStore(keys, vault),
    switches: new CancelSwitches(switches),
    guardrails: new GuardrailStore(guardrails),
    trading: new TradingStore(trading),
    close: () => root.close(),
  };
}

const VAULT_KEY_BYTES = 32;
