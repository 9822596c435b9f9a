import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { adminSocketPath } from '../../src/admin/admin-address.js';
import { AdminSocket } from '../../src/admin/admin-socket.js';
import { ownRelease } from '../../src/admin/admin-message.js';
import type { TradingHalt } from '../../src/domain/command.js';
import { type Identity, openIdentity } from '../../src/runtime/identity.js';
import { currentOperator } from '../../src/storage/audit-log.js';
import { ProcessClaim } from '../../src/storage/process-claim.js';

/** A data directory with the admin socket of a service in this process. */
export class AdminWorld {
  readonly parent = mkdtempSync(join(tmpdir(), 'sluice-admin-'));
  readonly dataDir: string;
  readonly identity: Identity;
  readonly logged: [object, string][] = [];
  performedCount = 0;
  freeBytesMin = 0;
  halts: readonly TradingHalt[] = [];
  #claim: ProcessClaim | null = null;
  #socket: AdminSocket | null = null;

  constructor(...folders: readonly string[]) {
    this.dataDir = join(this.parent, ...folders, 'data');
    this.identity = openIdentity(this.dataDir);
    onTestFinished(() => this.close());
  }

  get data() {
    return { path: this.dataDir, masterKey: undefined };
  }

  get socketPath(): string {
    return adminSocketPath(this.dataDir);
  }

  async serve(): Promise<AdminSocket> {
    this.#claim = ProcessClaim.take(this.dataDir);
    const log = (facts: object, message: string): void => void this.logged.push([facts, message]);
    const { dataDir, identity, freeBytesMin } = this;
    const halts = () => this.halts;
    const onPerformed = (): void => void (this.performedCount += 1);
    const socket = new AdminSocket({ dataDir, identity, halts, freeBytesMin, onPerformed, log: { warn: log } });
    await socket.open();
    this.#socket = socket;
    return socket;
  }

  /** A connection that sends nothing. */
  async connected(): Promise<Socket> {
    const socket = connect(this.socketPath);
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  }

  /** Sends a text and returns all that the service answers until it ends the connection, or a line. */
  async answer(text: string): Promise<string> {
    const socket = await this.connected();
    socket.write(text);
    return answerOn(socket);
  }

  async close(): Promise<void> {
    await this.#socket?.close();
    this.#socket = null;
    await this.identity.close();
    this.#claim?.release();
    this.#claim = null;
    rmSync(this.parent, { recursive: true, force: true });
  }
}

export function answerOn(socket: Socket): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\n')) resolve(text);
    });
    socket.once('close', () => resolve(text));
    socket.once('error', () => resolve(text));
  });
}

export function requestOf(operation: string, params: object = {}, others: object = {}): string {
  return `${JSON.stringify({ ...ownRelease(), operation, params, by: currentOperator(), reason: null, ...others })}\n`;
}
