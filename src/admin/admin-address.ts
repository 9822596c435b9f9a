import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SOCKET_PATH_BYTES_MAX } from '../domain/limits/process.js';

const SOCKET_NAME = 'socket';
/** Descriptors of this process as folders. */
const OPEN_FILES = '/proc/self/fd';

/** Holds the admin socket and the stores that the service has copied for a command. Only its owner can open it. */
export function adminFolder(dataDir: string): string {
  return join(dataDir, 'admin');
}

export function adminSocketPath(dataDir: string): string {
  return join(adminFolder(dataDir), SOCKET_NAME);
}

/** A path of the socket that the system accepts. It is valid until `close`. */
export interface AdminAddress {
  readonly path: string;
  close(): void;
}

/**
 * The address of a socket has room for SOCKET_PATH_BYTES_MAX bytes. A longer path becomes one relative to the working
 * folder, or else one through the descriptor of its folder. Throws where neither is possible.
 */
export function openAdminAddress(dataDir: string, cwd = process.cwd()): AdminAddress {
  const path = adminSocketPath(dataDir);
  const short = [path, relative(cwd, path)].find((one) => Buffer.byteLength(one) <= SOCKET_PATH_BYTES_MAX);
  if (short !== undefined) return { path: short, close: () => undefined };
  if (!existsSync(OPEN_FILES)) {
    const bytes = Buffer.byteLength(path);
    throw new Error(`${path} has ${bytes} bytes, and a socket at most ${SOCKET_PATH_BYTES_MAX}: shorten the path`);
  }
  const folder = openSync(adminFolder(dataDir), constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: join(OPEN_FILES, String(folder), SOCKET_NAME), close: () => closeSync(folder) };
}
