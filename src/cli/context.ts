import { isIP } from 'node:net';
import { SluiceClient } from '../client/index.js';
import type { DataDirectory } from '../admin/admin-client.js';
import { isRejected, type OrRejection, type RejectionCode } from '../domain/rejection.js';
import type { Maintenance, LiveChecks } from './operator/port.js';
import type { Backtests, Loopbacks, Terminal } from './port.js';
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
  /** For output that is drawn in place. Absent without a terminal. */
  readonly terminal?: Terminal | undefined;
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

/** Codes of a wrong argument or setting. */
const WRONG_USAGE: ReadonlySet<RejectionCode> = new Set(['INVALID_PARAM', 'INVALID_EXCHANGE']);

/** Returns the value of a result. Throws for a rejection: UsageError for WRONG_USAGE, otherwise CommandFailure. */
export function granted<Value>(result: OrRejection<Value>): Value {
  if (!isRejected<unknown>(result)) return result;
  const { code, message } = result.rejection;
  throw WRONG_USAGE.has(code) ? new UsageError(message) : new CommandFailure(message);
}

/** Reports a missing service within two seconds, because a user waits for the answer. */
const RETRY = { triesMax: 5, patienceMs: 10_000 };
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = '8080';
const PORT_MAX = 65_535;
const DEFAULT_DATA_DIR = './data';

/** Path of the data directory. */
export function dataPath({ env }: Pick<CommandContext, 'env'>): string {
  return env['SLUICE_DATA_DIR'] ?? DEFAULT_DATA_DIR;
}

/**
 * Data directory of a command for a running service. Warns when no service runs on it: the operator may have named
 * another directory than the service. `reason`: why the operator acts; absent for commands that only read.
 */
export function dataDirectory(context: CommandContext, reason?: string): DataDirectory {
  const path = dataPath(context);
  if (!context.maintenance.isServed(path)) {
    context.output.warn(`sluice: no service runs on ${path}; SLUICE_DATA_DIR names the directory of the service`);
  }
  return { path, masterKey: context.env['SLUICE_MASTER_KEY'], reason };
}

/** Address of the service: SLUICE_URL, or that of SLUICE_HOST and SLUICE_PORT, as the service listens. */
export function serviceUrl({ env }: CommandContext): string {
  const host = env['SLUICE_HOST'] ?? DEFAULT_HOST;
  const port = env['SLUICE_PORT'] ?? DEFAULT_PORT;
  const url = env['SLUICE_URL'];
  if (url === undefined) {
    if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= PORT_MAX) return addressOf(host, Number(port));
    throw new UsageError(`SLUICE_PORT=${port} is not a port from 1 to ${PORT_MAX}; set SLUICE_URL to the address`);
  }
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new UsageError(
      `SLUICE_URL=${url} is not an http or https address such as ${addressOf(DEFAULT_HOST, Number(DEFAULT_PORT))}`,
    );
  }
  return url;
}

/** Address at which this machine reaches a service that listens on `host`. */
export function addressOf(host: string, port: number): string {
  const reached = EVERY_ADDRESS[host] ?? host;
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`;
}

/** The hosts that stand for every address of the machine, and one address of each. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Runs `work` with a client that has the key of the environment, then closes its connections. */
export async function withClient(
  context: CommandContext,
  work: (client: SluiceClient) => Promise<void>,
): Promise<void> {
  const [apiKey, apiSecret] = [context.env['SLUICE_API_KEY'], context.env['SLUICE_API_SECRET']];
  if (apiKey === undefined || apiSecret === undefined) {
    throw new UsageError(
      'SLUICE_API_KEY and SLUICE_API_SECRET must be set; the first start of the service shows a key once, or writes it to ' +
        'demo-key.json and removes that file after the first use of the key; create a key with: ' +
        'npx sluice keys create --account demo --permissions trade',
    );
  }
  const client = new SluiceClient({ url: serviceUrl(context), apiKey, apiSecret, retry: RETRY });
  try {
    await work(client);
  } finally {
    client.close();
  }
}
