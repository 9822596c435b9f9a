import { hasDatabase, openIdentity } from '../journal/identity/index.js';
import type { CreatedKey, Identity, KeyRequest, ListedKey } from '../journal/identity/index.js';
import { reject } from '../model/rejection.js';
import type { OrRejection } from '../model/rejection.js';

/** Where the operator's commands work, and the master key's text when it is not in the directory itself. */
export interface DataDirectory {
  readonly path: string;
  readonly masterKey: string | undefined;
}

/** Works beside a running service, which accepts the key with its next request. Makes the directory if need be. */
export function createKey(data: DataDirectory, request: KeyRequest): Promise<OrRejection<CreatedKey>> {
  return withIdentity(data, (identity) => identity.keys.createKey(request, Date.now()));
}

/** Every key ever made, the oldest first. */
export function listKeys(data: DataDirectory): Promise<OrRejection<readonly ListedKey[]>> {
  return withExisting(data, (identity) => identity.keys.list());
}

/** The running service refuses the key from its next request on. */
export function revokeKey(data: DataDirectory, apiKey: string): Promise<OrRejection<ListedKey>> {
  return withExisting(data, (identity) => identity.keys.revoke(apiKey, Date.now()));
}

/** Reading and revoking must not leave an empty store behind where the path was mistyped. */
async function withExisting<Result>(
  data: DataDirectory,
  work: (identity: Identity) => OrRejection<Result>,
): Promise<OrRejection<Result>> {
  if (hasDatabase(data.path)) return withIdentity(data, work);
  return reject(
    'INVALID_PARAM',
    `there is no data of the service in ${data.path}; SLUICE_DATA_DIR names the directory`,
  );
}

async function withIdentity<Result>(data: DataDirectory, work: (identity: Identity) => Result): Promise<Result> {
  const identity = openIdentity(data.path, { masterKey: data.masterKey });
  try {
    return work(identity);
  } finally {
    await identity.close();
  }
}
