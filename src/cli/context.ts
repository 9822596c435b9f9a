import { SluiceClient } from '../client/index.js';
import type { DataDirectory } from '../operator/keys.js';
import type { Output } from './output.js';

/** What `journal verify` found. */
export interface JournalReport {
  readonly entries: number;
  readonly orders: number;
  readonly feeds: number;
  /** Empty when the journal and the state agree. */
  readonly problems: readonly string[];
}

/** The commands on a data directory that need the whole service's code; composed where everything may be imported. */
export interface Maintenance {
  verifyJournal(dataDir: string): Promise<JournalReport>;
  /** Both reject with an error whose message is for the operator. */
  backup(dataDir: string, target: string, options: { withMasterKey: boolean }): Promise<void>;
  restore(source: string, dataDir: string): Promise<void>;
}

/** What every command is handed. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly maintenance: Maintenance;
}

/** The command did not do what was asked: exit status 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** The command cannot be understood or lacks what it needs: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
export const DEFAULT_DATA_DIR = './data';

export function dataDirectory({ env }: CommandContext): DataDirectory {
  return { path: env['SLUICE_DATA_DIR'] ?? DEFAULT_DATA_DIR, masterKey: env['SLUICE_MASTER_KEY'] };
}

export function serviceUrl({ env }: CommandContext): string {
  const url = env['SLUICE_URL'] ?? DEFAULT_URL;
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new UsageError(`SLUICE_URL=${url} is not an address such as ${DEFAULT_URL}`);
  }
  return url;
}

/** Hands a client with the key of the environment to the work, and closes its connections afterwards. */
export async function withClient(
  context: CommandContext,
  work: (client: SluiceClient) => Promise<void>,
): Promise<void> {
  const [apiKey, apiSecret] = [context.env['SLUICE_API_KEY'], context.env['SLUICE_API_SECRET']];
  if (apiKey === undefined || apiSecret === undefined) {
    throw new UsageError(
      'SLUICE_API_KEY and SLUICE_API_SECRET must be set; make a key with: sluice keys create --account demo --permissions trade',
    );
  }
  const client = new SluiceClient({ url: serviceUrl(context), apiKey, apiSecret });
  try {
    await work(client);
  } finally {
    client.close();
  }
}
