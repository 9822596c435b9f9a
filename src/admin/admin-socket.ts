import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import {
  ADMIN_CONNECTIONS_MAX,
  ADMIN_END_MS_MAX,
  ADMIN_IDLE_MS_MAX,
  ADMIN_REQUEST_BYTES_MAX,
  ADMIN_REQUEST_MS_MAX,
} from '../domain/limits/process.js';
import type { TradingHalt } from '../domain/command.js';
import type { Identity } from '../runtime/identity.js';
import { FILE_MODE, FOLDER_MODE, nodeDisk } from '../storage/disk.js';
import { type AdminAddress, adminFolder, adminSocketPath, openAdminAddress } from './admin-address.js';
import {
  type AdminReply,
  type AdminRequest,
  COPY_STORE,
  LINE_FEED,
  lineOf,
  ownRelease,
  parseRequest,
  replyOf,
} from './admin-message.js';
import { operationOf } from './operations.js';
import { type CopiedStore, StoreCopies } from './store-copies.js';

interface AdminSocketParts {
  readonly dataDir: string;
  readonly identity: Identity;
  readonly halts: () => readonly TradingHalt[];
  /** A copy of a store leaves so many bytes of the disk free. */
  readonly freeBytesMin: number;
  /** Applies the changes of an operation. Called before its reply. */
  readonly onPerformed: () => void;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * Performs the operator's commands in the running service, so that no other process opens its databases (adr/0095). A
 * Unix socket in the data directory. Its folder admits only its owner, before the socket exists.
 */
export class AdminSocket {
  readonly #parts: AdminSocketParts;
  readonly #own = ownRelease();
  readonly #copies: StoreCopies;
  readonly #server: Server;
  readonly #connections = new Set<AdminConnection>();
  #address: AdminAddress | null = null;
  #isClosed = false;

  /** The caller holds the claim of the data directory: a socket that is there belongs to no process. */
  constructor(parts: AdminSocketParts) {
    this.#parts = parts;
    makeOwnFolder(adminFolder(parts.dataDir));
    this.#copies = new StoreCopies(parts.dataDir, parts.freeBytesMin);
    this.#server = createServer((socket) => this.#accept(socket));
    // One connection beyond the bound gets the reason; more are closed.
    this.#server.maxConnections = ADMIN_CONNECTIONS_MAX + 1;
  }

  /** Rejects with an error for the operator when the file system has no sockets. */
  async open(): Promise<void> {
    const path = adminSocketPath(this.#parts.dataDir);
    try {
      rmSync(path, { force: true });
      const address = openAdminAddress(this.#parts.dataDir);
      this.#address = address;
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(address.path, resolve);
      });
      chmodSync(path, FILE_MODE);
    } catch (error) {
      this.#address?.close();
      this.#address = null;
      throw new Error(`the socket ${path} for commands of the operator cannot be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Takes no further request, waits ADMIN_END_MS_MAX for operations in progress, and removes the socket. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.end();
    }, ADMIN_END_MS_MAX);
    for (const connection of this.#connections) connection.endWhenIdle();
    await closed;
    this.#isClosed = true;
    clearTimeout(timer);
    this.#address?.close();
    this.#address = null;
    rmSync(adminSocketPath(this.#parts.dataDir), { force: true });
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= ADMIN_CONNECTIONS_MAX) {
      socket.on('error', () => socket.destroy());
      // Its request is read and dropped, or the connection would not end.
      socket.resume();
      socket.end(lineOf({ failure: `${ADMIN_CONNECTIONS_MAX} commands are at work; try again` }));
      return;
    }
    const copies: string[] = [];
    const connection = new AdminConnection(socket, (line) => this.#answer(line, copies));
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      for (const name of copies) this.#copies.remove(name);
    });
  }

  /** `copies`: names of the copies of this connection. */
  async #answer(line: Buffer, copies: string[]): Promise<AdminReply> {
    const request = parseRequest(line, this.#own);
    if (typeof request === 'string') return { failure: request };
    const { operation } = request;
    try {
      return replyOf(await this.#perform(request, copies));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      this.#parts.log.warn({ operation, failure }, 'a command of the operator has failed');
      return { failure };
    } finally {
      // The service has stopped without waiting for it.
      if (!this.#isClosed) this.#parts.onPerformed();
    }
  }

  async #perform(request: AdminRequest, copies: string[]): Promise<unknown> {
    const { operation, params, by, reason } = request;
    const { dataDir, identity, halts } = this.#parts;
    if (operation === COPY_STORE) {
      const copied = await this.#copies.make(params);
      if (isCopy(copied)) copies.push(copied.name);
      return copied;
    }
    const perform = operationOf(operation);
    if (perform === null) throw new Error(`there is no operation ${JSON.stringify(operation)}`);
    return perform({ dataDir, identity, isServiceRunning: true, halts: halts(), by, reason }, params);
  }
}

function isCopy(copied: Awaited<ReturnType<StoreCopies['make']>>): copied is NonNullable<CopiedStore> {
  return copied !== null && 'name' in copied;
}

/** One command's connection. It has one request at a time. */
class AdminConnection {
  readonly #socket: Socket;
  readonly #answer: (line: Buffer) => Promise<AdminReply>;
  #chunks: Buffer[] = [];
  #byteCount = 0;
  #isAnswering = false;
  #isEnding = false;
  /** Ends a connection that sends no complete request in time, or that stays idle after a reply. */
  #timer: NodeJS.Timeout;

  constructor(socket: Socket, answer: (line: Buffer) => Promise<AdminReply>) {
    this.#socket = socket;
    this.#answer = answer;
    this.#timer = this.#endAfter(ADMIN_REQUEST_MS_MAX);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    // The command has gone. Its operation ends all the same.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => clearTimeout(this.#timer));
  }

  end(): void {
    this.#socket.destroy();
  }

  endWhenIdle(): void {
    this.#isEnding = true;
    if (!this.#isAnswering) this.end();
  }

  #endAfter(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.end(), delayMs);
  }

  #take(chunk: Buffer): void {
    if (this.#isAnswering) return this.end();
    this.#chunks.push(chunk);
    this.#byteCount += chunk.length;
    if (this.#byteCount > ADMIN_REQUEST_BYTES_MAX) {
      return this.#reply({ failure: `the request has more than ${ADMIN_REQUEST_BYTES_MAX} bytes` }, true);
    }
    if (chunk.at(-1) !== LINE_FEED) return;
    const line = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#byteCount = 0;
    this.#isAnswering = true;
    clearTimeout(this.#timer);
    void this.#answer(line).then((reply) => this.#reply(reply, this.#isEnding));
  }

  #reply(reply: AdminReply, isLast: boolean): void {
    this.#isAnswering = false;
    clearTimeout(this.#timer);
    if (this.#socket.destroyed) return;
    this.#timer = this.#endAfter(ADMIN_IDLE_MS_MAX);
    if (isLast) this.#socket.end(lineOf(reply));
    else this.#socket.write(lineOf(reply));
  }
}

/** Makes the folder of the socket. Throws when it belongs to another user, who could replace the socket. */
function makeOwnFolder(path: string): void {
  nodeDisk.makeFolder(path);
  const found = lstatSync(path);
  const uid = process.geteuid?.() ?? found.uid;
  if (!found.isDirectory() || found.uid !== uid) {
    throw new Error(`${path} belongs to user ${found.uid}, and the service runs as user ${uid}: remove it`);
  }
  chmodSync(path, FOLDER_MODE);
}
