import { openDatabase } from '../../src/keys/database.js';
import { decodeKeyRow } from '../../src/keys/key-store.js';

/** Replaces the public key of a stored RSA key without a check, as an earlier release stored it. */
export async function storeUnchecked(dataDir: string, apiKey: string, publicKey: string): Promise<void> {
  const { keys, root } = openDatabase(dataDir);
  const row = keys.get(apiKey);
  if (row === undefined) throw new Error(`no key ${apiKey}`);
  const changed = { ...decodeKeyRow(row), credential: { kind: 'RSA', publicKey } };
  keys.putSync(apiKey, Buffer.concat([row.subarray(0, 1), Buffer.from(JSON.stringify(changed))]));
  await root.close();
}
