import { hasDatabase, openIdentity, type Identity } from '../journal/identity/index.js';
import { IDENTITY_LOOK_MS } from '../model/limits.js';
import { reject, type OrRejection } from '../model/rejection.js';

/** Timers may be early by a millisecond. */
const SEEN_MS = IDENTITY_LOOK_MS + 2;

/** Where the operator's commands work, and the master key's text when it is not in the directory itself. */
export interface DataDirectory {
  readonly path: string;
  readonly masterKey: string | undefined;
}

/** Reading and revoking must not leave an empty store behind where the path was mistyped. */
export async function withExisting<Result>(
  data: DataDirectory,
  work: (identity: Identity) => OrRejection<Result> | Promise<OrRejection<Result>>,
): Promise<OrRejection<Result>> {
  if (hasDatabase(data.path)) return withIdentity(data, work);
  return reject(
    'INVALID_PARAM',
    `there is no data of the service in ${data.path}; SLUICE_DATA_DIR names the directory`,
  );
}

/** Resolves when a service that runs has seen what was changed: whatever it is asked from then on, it answers by that. */
export async function withIdentity<Result>(
  data: DataDirectory,
  work: (identity: Identity) => Result | Promise<Result>,
): Promise<Result> {
  const identity = openIdentity(data.path, { masterKey: data.masterKey });
  try {
    return await work(identity);
  } finally {
    await identity.close();
    await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
  }
}
