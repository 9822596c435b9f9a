import { SluiceClient } from '../client/index.js';
import type { DataDirectory } from './operator/data-directory.js';
import type { Maintenance } from './operator/backup.js';
import type { Backtests } from './backtest.js';
import type { Loopbacks } from './loopback.js';
import type { LiveChecks } from './operator/live-check.js';
import type { Output } from './output.js';

/** Reads secrets. They are never arguments, because every user of the machine can see those. */
export interface SecretInput {
  /** Asks at the terminal and shows nothing of the answer. Absent without a terminal. */
  readonly ask?: ((question: string, bytesMax: number) => Promise<Buffer>) | undefined;
  /** Reads standard input to its end. */
  readonly read: (bytesMax: number) => Promise<Buffer>;
}

/** Dependencies of every command. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly maintenance: Maintenance;
  /** Asks the user. Absent without a terminal. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
  readonly secretInput: SecretInput;
  readonly backtests: Backtests;
  readonly loopbacks: Loopbacks;
  readonly liveChecks: LiveChecks;
}

/** The command was refused or failed: exit status 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** Wrong arguments or missing settings: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reports a missing service within two seconds, because a user waits for the answer. */
const RETRY = { triesMax: 5, patienceMs: 10_000 };
const DEFAULT_URL = 'http://127.0.0.1:8080';
export const DEFAULT_DATA_DIR = './data';

/** `reason`: why the operator acts; absent for commands that only read. */
export function dataDirectory({ env }: CommandContext, reason?: string): DataDirectory {
  return { path: env['SLUICE_DATA_DIR'] ?? DEFAULT_DATA_DIR, masterKey: env['SLUICE_MASTER_KEY'], reason };
}

export function serviceUrl({ env }: CommandContext): string {
  const url = env['SLUICE_URL'] ?? DEFAULT_URL;
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new UsageError(`SLUICE_URL=${url} is not an http or https address such as ${DEFAULT_URL}`);
  }
  return url;
}

/** Runs `work` with a client that has the key of the environment, then closes its connections. */
export async function withClient(
  context: CommandContext,
  work: (client: SluiceClient) => Promise<void>,
): Promise<void> {
  const [apiKey, apiSecret] = [context.env['SLUICE_API_KEY'], context.env['SLUICE_API_SECRET']];
  if (apiKey === undefined || apiSecret === undefined) {
    throw new UsageError(
      'SLUICE_API_KEY and SLUICE_API_SECRET must be set; create a key with: sluice keys create --account demo --permissions trade',
    );
  }
  const client = new SluiceClient({ url: serviceUrl(context), apiKey, apiSecret, retry: RETRY });
  try {
    await work(client);
  } finally {
    client.close();
  }
}
