import { SluiceClient } from '../client/index.js';
import type { DataDirectory } from '../operator/data-directory.js';
import type { RestoreChoices, RestoreSummary } from '../operator/restore.js';
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
  /** These reject with an error whose message is for the operator. */
  backup(dataDir: string, target: string, options: { withMasterKey: boolean }): Promise<void>;
  restore(source: string, dataDir: string): Promise<RestoreSummary>;
  finishRestore(source: string, dataDir: string, choices: RestoreChoices): Promise<void>;
}

/** A parent order to be worked on a recorded market. */
export interface ReplayRequest {
  /** Folder with the recordings. */
  readonly dataDir: string;
  /** Part of the name of the recording; null when only one fits the order. */
  readonly symbol: string | null;
  /** File with the body of a create request. */
  readonly orderFile: string;
  readonly queueModel: 'risk-averse' | 'probabilistic';
  readonly latencyMs: number;
  /** What exchanges take of an account, in the words of SLUICE_VENUE_RATES. */
  readonly venueRates: string;
}

/** What it cost. Quantities and prices in base and quote units, times in epoch milliseconds; positive bps are cost. */
export interface ReplayReport {
  readonly recording: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly side: string;
  readonly strategy: string;
  /** The order's, when it ended or the recording did. */
  readonly status: string;
  /** Why it ended so; null when there is nothing to say. */
  readonly message: string | null;
  readonly quantity: number;
  readonly filled_quantity: number;
  readonly start_time: number;
  readonly end_time: number;
  readonly children: number;
  readonly fills: number;
  readonly arrival_price: number;
  readonly average_price: number | null;
  readonly arrival_slippage_bps: number | null;
  readonly fees: number;
  readonly fee_currency: string;
  readonly fees_bps: number | null;
  readonly all_in_slippage_bps: number | null;
  readonly implementation_shortfall_bps: number;
  readonly market_vwap: number | null;
  readonly vwap_slippage_bps: number | null;
  readonly market_vwap_with_own: number | null;
  readonly vwap_with_own_slippage_bps: number | null;
  readonly twap_price: number | null;
  readonly twap_slippage_bps: number | null;
  readonly maker_share: number | null;
  readonly participation: number | null;
  /** Largest and root-mean-square distance from the schedule, as parts of the quantity; null without a schedule. */
  readonly schedule_deviation: { readonly largest: number; readonly rms: number } | null;
  /** Positive bps: the mid went the order's way. coverage: part of the fills whose horizon was recorded. */
  readonly markouts: readonly {
    readonly horizon_ms: number;
    readonly bps: number | null;
    readonly coverage: number;
  }[];
}

/** Works orders on recorded markets; needs the whole service's code. */
export interface Replays {
  /** Rejects with an error whose message is for the operator. */
  run(request: ReplayRequest): Promise<ReplayReport>;
}

/** What every command is handed. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly maintenance: Maintenance;
  /** Asks a person at a terminal; absent: there is none. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
  readonly replays: Replays;
}

/** The command did not do what was asked: exit status 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** The command cannot be understood or lacks what it needs: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Somebody waits for the answer: a service that is not there is told of within two seconds. */
const RETRY = { triesMax: 5, patienceMs: 10_000 };
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
  const client = new SluiceClient({ url: serviceUrl(context), apiKey, apiSecret, retry: RETRY });
  try {
    await work(client);
  } finally {
    client.close();
  }
}
