import { accessSync, constants, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ADMIN_ANSWER_BYTES_MAX,
  ADMIN_ANSWER_MS_MAX,
  ADMIN_COPY_MS_MAX,
  ADMIN_RETRY_MS,
  ADMIN_WAIT_MS_MAX,
} from '../domain/limits/process.js';
import { isRejected, type OrRejection, reject, Rejected } from '../domain/rejection.js';
import { copyFile, copyStore } from '../journal/directory-parts.js';
import { STATE_FILE } from '../journal/state/state-tables.js';
import { readMasterKey, Vault } from '../keys/vault.js';
import { hasDatabase, type Identity, openIdentity } from '../runtime/identity.js';
import { currentOperator } from '../storage/audit-log.js';
import { identityFolder } from '../storage/data-directory.js';
import { recordFormat, refuseOtherFormat } from '../storage/data-format.js';
import { makeDurableFolder, nodeDisk } from '../storage/disk.js';
import { storeFolder } from '../storage/format/directory-upgrade.js';
import type { StoreName } from '../storage/format/format-steps.js';
import { ProcessClaim } from '../storage/process-claim.js';
import { adminFolder, adminSocketPath, openAdminAddress } from './admin-address.js';
import { type AdminReply, COPY_STORE, LINE_FEED, lineOf, ownRelease } from './admin-message.js';
import { type OperationName, operationOf, type ParamsOf, type ResultOf } from './operations.js';
import type { CopiedStore } from './store-copies.js';

/** Data directory of the operator's commands. `masterKey` is its text when it is not stored in the directory. */
export interface DataDirectory {
  readonly path: string;
  readonly masterKey: string | undefined;
  /** Why the operator acts, for the audit log. */
  readonly reason?: string | undefined;
}

/** A command cannot be carried out. The message is for the operator. */
class AdminFailure extends Error {
  override readonly name = 'AdminFailure';
}

/**
 * Performs an operation on a data directory: in the running service, or in this process when no service runs. Rejects
 * with an error whose message is for the operator.
 */
export async function operate<Name extends OperationName>(
  data: DataDirectory,
  name: Name,
  params: ParamsOf<Name>,
): Promise<OrRejection<ResultOf<Name>>> {
  const refusal = refusalOf(data.path, name);
  if (refusal !== null) return refusal;
  return withAccess(data, (access) => access.perform(name, params)) as Promise<OrRejection<ResultOf<Name>>>;
}

/**
 * Copies a store of a data directory to a folder, synced, also while the service writes to it. A missing one is no
 * error.
 */
export function copyStoreOf(dataDir: string, store: StoreName, target: string): Promise<void> {
  return withAccess({ path: dataDir, masterKey: undefined }, (access) => access.copyStore(store, target));
}

/** The vault of a command. Throws MasterKeyError when the environment and the directory have no master key. */
export function vaultOf({ path, masterKey }: DataDirectory): Vault {
  return new Vault(readMasterKey(path, masterKey, true));
}

/** False for a directory that belongs to another user. A missing one counts as readable. */
export function isReadable(path: string): boolean {
  return [path, identityFolder(path)].every((folder) => {
    try {
      accessSync(folder, constants.R_OK | constants.X_OK);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EACCES';
    }
  });
}

/** A mistyped path creates no empty store: only the first key of a directory makes it. */
function refusalOf(path: string, name: OperationName): Rejected | null {
  if (!isReadable(path)) {
    return reject('INVALID_REQUEST', `${path} is not readable for this user: run the command as root`);
  }
  if (name === 'keys.create' || hasDatabase(path)) return null;
  return reject('INVALID_PARAM', `${path} has no data of the service; set SLUICE_DATA_DIR to the data directory`);
}

interface Access {
  perform(name: OperationName, params: unknown): Promise<unknown>;
  copyStore(store: StoreName, target: string): Promise<void>;
  close(): Promise<void>;
}

async function withAccess<Result>(data: DataDirectory, work: (access: Access) => Promise<Result>): Promise<Result> {
  const access = await openAccess(data);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

/** The claim decides: its holder alone may open the databases. Waits for a service that starts or stops. */
async function openAccess(data: DataDirectory): Promise<Access> {
  const { path } = data;
  const endMs = performance.now() + ADMIN_WAIT_MS_MAX;
  for (;;) {
    const service = await RunningService.connect(data);
    if (service !== null) return service;
    const claim = takeClaim(path);
    if (claim !== null) return new StoppedService(data, claim);
    if (performance.now() >= endMs) {
      throw new AdminFailure(
        `${path} is in use by ${ProcessClaim.holderOf(path)}, which takes no commands now: ` +
          'it is starting or stopping, or has an earlier release; try again, or restart the service',
      );
    }
    await sleep(ADMIN_RETRY_MS);
  }
}

/** null: another process holds the claim. */
function takeClaim(path: string): ProcessClaim | null {
  refuseOtherFormat(path);
  try {
    makeDurableFolder(nodeDisk, path);
    // Before the first folder: data without a record of its format is refused.
    recordFormat(path);
    return ProcessClaim.takeForCommand(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EROFS' && code !== 'EACCES') throw error;
    const why = code === 'EROFS' ? 'is on a read-only file system' : 'is not writable for this user';
    throw new AdminFailure(`${path} ${why}, and no service runs on it: the command must lock the directory`);
  }
}

/** The databases of a data directory that no service uses. The claim keeps a service from its start meanwhile. */
class StoppedService implements Access {
  readonly #data: DataDirectory;
  readonly #claim: ProcessClaim;
  #identity: Identity | null = null;

  constructor(data: DataDirectory, claim: ProcessClaim) {
    this.#data = data;
    this.#claim = claim;
  }

  async perform(name: OperationName, params: unknown): Promise<unknown> {
    const { path: dataDir, masterKey, reason = null } = this.#data;
    this.#identity ??= openIdentity(dataDir, { masterKey });
    const site = {
      dataDir,
      identity: this.#identity,
      isServiceRunning: false,
      halts: [],
      by: currentOperator(),
      reason,
    };
    return operationOf(name)?.(site, params);
  }

  copyStore(store: StoreName, target: string): Promise<void> {
    return copyStore(storeFolder(this.#data.path, store), target);
  }

  async close(): Promise<void> {
    await this.#identity?.close();
    this.#claim.release();
  }
}

/** Errors of a connection without a service. EAGAIN: more commands wait than the service takes at once. */
const UNSERVED: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'EAGAIN']);

/** The connection to the admin socket of the running service. */
class RunningService implements Access {
  readonly #data: DataDirectory;
  readonly #socket: Socket;

  private constructor(data: DataDirectory, socket: Socket) {
    this.#data = data;
    this.#socket = socket;
  }

  /** null: no service listens. */
  static async connect(data: DataDirectory): Promise<RunningService | null> {
    const { path: dataDir } = data;
    try {
      refuseForeignSocket(dataDir);
      const address = openAdminAddress(dataDir);
      try {
        return new RunningService(data, await connected(address.path));
      } finally {
        address.close();
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (UNSERVED.has(code)) return null;
      if (code === 'EACCES') {
        throw new AdminFailure(`the service on ${dataDir} runs as another user: run the command as root`);
      }
      throw error instanceof AdminFailure ? error : new AdminFailure(`the service does not answer: ${message}`);
    }
  }

  perform(name: OperationName, params: unknown): Promise<unknown> {
    return this.#ask(name, params, ADMIN_ANSWER_MS_MAX);
  }

  async copyStore(store: StoreName, target: string): Promise<void> {
    const copied = (await this.#ask(COPY_STORE, { store }, ADMIN_COPY_MS_MAX)) as OrRejection<CopiedStore>;
    if (isRejected(copied)) throw new AdminFailure(copied.rejection.message);
    if (copied === null) return;
    nodeDisk.makeFolder(target);
    copyFile(join(adminFolder(this.#data.path), copied.name, STATE_FILE), join(target, STATE_FILE));
    nodeDisk.sync(target);
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    return Promise.resolve();
  }

  async #ask(operation: string, params: unknown, answerMsMax: number): Promise<unknown> {
    const { reason = null } = this.#data;
    this.#socket.write(lineOf({ ...ownRelease(), operation, params, by: currentOperator(), reason }));
    const reply = JSON.parse(await lineFrom(this.#socket, answerMsMax)) as AdminReply;
    if ('failure' in reply) throw new AdminFailure(reply.failure);
    return 'rejection' in reply ? new Rejected(reply.rejection) : reply.result;
  }
}

/** A socket of another user than the owner of the directory is not that of its service. */
function refuseForeignSocket(dataDir: string): void {
  const path = adminSocketPath(dataDir);
  const { uid } = statSync(path);
  const trusted = [0, process.geteuid?.(), statSync(dataDir).uid];
  if (!trusted.includes(uid)) throw new AdminFailure(`${path} belongs to user ${uid}, not to the service`);
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, fail) => {
    const socket = connect(path, () => resolve(socket));
    socket.once('error', fail);
  });
}

function lineFrom(socket: Socket, waitMs: number): Promise<string> {
  return new Promise((resolve, fail) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    const end = (message: string): void => fail(new AdminFailure(message));
    const unknown = 'the command may have taken effect';
    const timer = setTimeout(() => end(`the service gave no answer in ${waitMs / 1000} s: ${unknown}`), waitMs);
    socket.once('close', () => {
      clearTimeout(timer);
      end(`the service ended the connection before its answer: ${unknown}`);
    });
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      byteCount += chunk.length;
      if (byteCount > ADMIN_ANSWER_BYTES_MAX) {
        clearTimeout(timer);
        end(`the answer of the service has more than ${ADMIN_ANSWER_BYTES_MAX} bytes: ${unknown}`);
        return;
      }
      if (chunk.at(-1) !== LINE_FEED) return;
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString());
    });
  });
}
