import type { CreatedKey, KeyRequest, ListedKey } from '../journal/identity/index.js';
import type { OrRejection } from '../model/rejection.js';
import { withExisting, withIdentity, type DataDirectory } from './data-directory.js';

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
