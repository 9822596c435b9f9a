import type { ApiKeyRecord, Permission } from '../port.js';

/**
 * Why a key that is proven may not do what it asks for from where it is; null when it may. `address` is asked only for
 * a key that is bound to some: reading it from the socket costs something.
 */
export function authorisationFailure(record: ApiKeyRecord, needed: Permission, address: () => string): string | null {
  if (!record.permissions.includes(needed)) return `the API key has no permission to ${needed}`;
  if (record.allowedFrom === null) return null;
  const from = address();
  return record.allowedFrom.includes(from) ? null : `the API key is not allowed from the address ${from}`;
}
