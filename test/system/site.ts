import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { NO_RETRY, SluiceClient } from '../../src/client/index.js';
import { adminSocketPath } from '../../src/admin/admin-address.js';
import { operate } from '../../src/admin/admin-client.js';
import type { KeyRequest } from '../../src/runtime/identity.js';
import type { Permission } from '../../src/keys/port.js';
import { RECV_WINDOW_MS_MAX } from '../../src/domain/limits/clients.js';
import { isRejected } from '../../src/domain/rejection.js';
import { onceStored } from './eventually.js';
import { ServiceRun, type RunOptions } from './service-run.js';

export interface Key {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** The folder of one test with a data directory, its services and clients. close() removes it. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-system-'));
  readonly dataDir = join(this.folder, 'data');
  readonly #runs: ServiceRun[] = [];
  readonly #clients: SluiceClient[] = [];

  /** A key, made by the service when it runs. */
  async issueKey(
    account = 'trader',
    permission: Permission = 'trade',
    bounds: Pick<KeyRequest, 'expiresAtMs'> = {},
  ): Promise<Key> {
    const data = { path: this.dataDir, masterKey: undefined };
    const key = await operate(data, 'keys.create', { account, permissions: [permission], kind: 'HMAC', ...bounds });
    if (isRejected(key)) throw new Error(key.rejection.message);
    return { apiKey: key.apiKey, apiSecret: key.apiSecret ?? '' };
  }

  start(options?: RunOptions, dataDir = this.dataDir): ServiceRun {
    const run = new ServiceRun(dataDir, options);
    this.#runs.push(run);
    return run;
  }

  /**
   * A client of the service at a port. It rejects on the first refusal, except while the stored state is behind. A
   * loaded machine may delay a request for seconds.
   */
  client(port: number, key: Key, connections = 16, nowMs: () => number = Date.now): SluiceClient {
    const url = `http://127.0.0.1:${port}`;
    const patience = { recvWindowMs: RECV_WINDOW_MS_MAX, timeoutMs: RECV_WINDOW_MS_MAX, retry: NO_RETRY };
    const client = new SluiceClient({ url, ...key, connections, nowMs, ...patience });
    this.#clients.push(client);
    return onceStored(client);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all(this.#runs.map((run) => run.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A concurrent test passes its context. Without it vitest cannot tell which test has finished. */
export function newSite(test: Pick<TestContext, 'onTestFinished'> = { onTestFinished }): Site {
  const site = new Site();
  test.onTestFinished(() => site.close());
  return site;
}

/** Copies the data of a service that was killed. Its socket is no data, and cannot be copied. */
export function copyDataDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => path !== adminSocketPath(from) });
}
