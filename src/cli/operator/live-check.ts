import { type Command, Option } from 'commander';
import { type RealMode, type Venue, VENUE_ENVIRONMENTS, type VenueEnvironment } from '../../domain/exchange.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import type { VenueCredentials, VenueKeyPlace } from '../../keys/port.js';
import { describePlace } from '../../keys/venue-key-row.js';
import { parseVenueKeyPlace, type VenueKeyPlaceNames } from '../../keys/venue-key-store.js';
import type { Identity } from '../../runtime/identity.js';
import { mayPlace, type ProbedAccount, type ProbeLine } from '../../venue/live/account-probe.js';
import { exchangeProxy } from '../../venue/live/exchange-proxy.js';
import { parseLiveModes, refusalOfModes } from '../../venue/live/live-modes.js';
import { examples } from '../arguments.js';
import { CommandFailure, type CommandContext, dataDirectory, UsageError } from '../context.js';
import type { Column } from '../output.js';
import { granted, withExisting } from './data-directory.js';

/** Asks real exchanges. Implemented by code of the service, which the command line does not import. */
export interface LiveChecks {
  /** null: the exchange is simulated only. */
  readonly probe: (venue: Venue, account: ProbedAccount) => Promise<readonly ProbeLine[] | null>;
}

interface Options {
  readonly exchange: string;
  readonly account?: string;
  readonly subaccount?: string;
  readonly environment?: VenueEnvironment;
  readonly json?: boolean;
}

const HELP = `${examples(
  'sluice live check --exchange BINANCE',
  'sluice live check --exchange BINANCE --account desk --environment live --json',
)}

Asks the exchange with the stored key of the account: clock, answer times, rights of the key, position mode, instruments,
limits, balances, private stream. It only reads: it sends no order and changes nothing. The service need not run.

Each line is OK, WARN (orders can be placed) or REFUSED (no order can be placed), with the next step. Exit status 0: an
order could be placed in at least one wallet. Otherwise 1.

Without --account it takes the only account with a key of the exchange. Without --environment it takes the mode of the
exchange in SLUICE_LIVE, or else the only environment with a key. SLUICE_DATA_DIR, SLUICE_LIVE_PROXY, HTTPS_PROXY
and NODE_EXTRA_CA_CERTS have the same meaning as for the service.`;

/** A key that expires within this time is worth a warning. */
const EXPIRY_MS_WARNING = 7 * 86_400_000;

/** Adds the commands for real exchanges. They work on the data directory and ask the exchange. */
export function addLiveCommands(program: Command, context: CommandContext): void {
  const live = program.command('live').description('accounts at real exchanges').addHelpText('after', HELP);
  live
    .command('check')
    .description('ask a real exchange whether an account could trade, without an order')
    .requiredOption('--exchange <name>', 'exchange')
    .option('--account <name>', 'account with a stored key')
    .option('--subaccount <name>', 'sub-account; default: none')
    .addOption(new Option('--environment <name>', 'environment of the exchange').choices([...VENUE_ENVIRONMENTS]))
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options: Options) => check(context, options));
}

async function check(context: CommandContext, options: Options): Promise<void> {
  const { output, liveChecks } = context;
  const proxy = proxyOf(context);
  const { place, credentials, lines } = granted(
    await withExisting(dataDirectory(context), (identity): OrRejection<CheckedAccount> => {
      const found = placeOf(identity, options, modeOf(context, options.exchange));
      return isRejected(found) ? found : accountOf(identity, found, context);
    }),
  );
  const { venue, environment } = place;
  const asked = credentials === null ? [] : await liveChecks.probe(venue, { credentials, environment, proxy });
  if (asked === null) throw new CommandFailure(`${venue} is simulated only: see src/docs/real-exchanges.md`);
  const all = [...lines, ...asked];
  const canPlace = mayPlace(all);
  const json = {
    exchange: venue,
    account: place.account,
    ...(place.subaccount !== null && { subaccount: place.subaccount }),
    environment,
    may_place: canPlace,
    checks: all.map(({ wallet, check: name, state, message, advice, figures }) => ({
      ...(wallet.length > 0 && { wallet }),
      check: name,
      state,
      message,
      ...(advice !== null && { advice }),
      ...figures,
    })),
  };
  output.show({ columns: COLUMNS, rows: all, empty: '', json }, options.json);
  if (!canPlace) throw new CommandFailure(`no order of ${describePlace(place)} could be placed`);
  if (options.json !== true) output.line(`Orders of ${describePlace(place)} could be placed.`);
}

const COLUMNS: readonly Column<ProbeLine>[] = [
  { title: 'WALLET', text: ({ wallet }) => wallet.join('+') },
  { title: 'CHECK', text: ({ check: name }) => name },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'RESULT', text: ({ message, advice }) => (advice === null ? message : `${message} → ${advice}`) },
];

interface CheckedAccount {
  readonly place: VenueKeyPlace;
  /** null: the key does not open, and a line says why. */
  readonly credentials: VenueCredentials | null;
  readonly lines: readonly ProbeLine[];
}

/** The mode of the exchange in SLUICE_LIVE; null: none. */
function modeOf({ env }: CommandContext, exchange: string): RealMode | null {
  try {
    const modes = parseLiveModes(env['SLUICE_LIVE'] ?? '');
    return [...modes].find(([venue]) => venue === asciiUpper(exchange))?.[1] ?? null;
  } catch (error) {
    throw new UsageError(`SLUICE_LIVE: ${(error as Error).message}`);
  }
}

function proxyOf({ env }: CommandContext): string | null {
  try {
    return exchangeProxy(env, 'SLUICE_LIVE_PROXY');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The only place with a key that the options name. */
function placeOf({ venueKeys }: Identity, options: Options, mode: RealMode | null): OrRejection<VenueKeyPlace> {
  const implied = mode === 'testnet' || mode === 'live' ? mode : undefined;
  const { environment = implied, account, subaccount } = options;
  const names: VenueKeyPlaceNames = {
    account: account ?? 'any',
    subaccount,
    exchange: options.exchange,
    environment: environment ?? 'live',
  };
  const named = parseVenueKeyPlace(names);
  if (isRejected(named)) return named;
  const found = venueKeys
    .list()
    .map(({ place }) => place)
    .filter(
      (place) =>
        place.venue === named.venue &&
        place.subaccount === named.subaccount &&
        (account === undefined || place.account === account) &&
        (environment === undefined || place.environment === environment),
    );
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const wanted = [
    account === undefined ? '' : ` of account ${account}`,
    environment === undefined ? '' : ` in ${environment}`,
  ];
  if (first === undefined) {
    return reject(
      'INVALID_REQUEST',
      `no key${wanted.join('')} at ${named.venue}: store one with sluice venue-keys add`,
    );
  }
  const places = found.map((place) => describePlace(place)).join('; ');
  return reject('INVALID_REQUEST', `several keys fit, choose with --account and --environment: ${places}`);
}

/** What the data directory says about the account, before the exchange is asked. */
function accountOf(identity: Identity, place: VenueKeyPlace, { env }: CommandContext): OrRejection<CheckedAccount> {
  const { account, venue, environment } = place;
  const lines: ProbeLine[] = [];
  const say = (name: string, state: ProbeLine['state'], message: string, advice: string | null = null): void => {
    lines.push({ wallet: [], check: name, state, message, advice, figures: {} });
  };
  const modes = new Map([[venue, environment]]);
  const refusal = refusalOfModes({ modes, confirmation: 'real-money', simSpeed: 1 });
  if (refusal === null) say('release', 'OK', `this release trades ${venue}:${environment}`);
  else say('release', 'REFUSED', refusal, `trade ${venue} in the simulation`);
  if (environment === 'live') {
    const unconfirmed = refusalOfModes({ modes, confirmation: env['SLUICE_LIVE_CONFIRM'], simSpeed: 1 });
    if (refusal === null && unconfirmed !== null) {
      say('confirmation', 'WARN', 'real money', 'start the service with SLUICE_LIVE_CONFIRM=real-money');
    }
  }
  const credentials = identity.venueKeyDirectory.find(place);
  const again = 'store a key with sluice venue-keys add --replace';
  if (credentials === null) say('stored key', 'REFUSED', 'the key has expired', again);
  else if (isRejected(credentials)) say('stored key', 'REFUSED', credentials.rejection.message, again);
  else {
    const { expiresAtMs, kind } = credentials;
    const endsSoon = expiresAtMs !== null && expiresAtMs - Date.now() < EXPIRY_MS_WARNING;
    if (endsSoon) say('stored key', 'WARN', `expires at ${new Date(expiresAtMs).toISOString()}`, again);
    else say('stored key', 'OK', `a key of the kind ${kind} opens`);
  }
  const hasKey = identity.keys.list().some((key) => key.account === account && key.revokedAtMs === null);
  const create = `sluice keys create --account ${account} --permissions trade`;
  if (hasKey) say('service key', 'OK', `account ${account} has an API key of Sluice`);
  else say('service key', 'WARN', `account ${account} has no API key of Sluice`, create);
  const set = `sluice risk-limits set --account ${account}`;
  if (identity.riskLimitDirectory.hasLimits(account)) say('risk limits', 'OK', 'are set');
  else say('risk limits', environment === 'live' ? 'REFUSED' : 'WARN', 'are not set', set);
  const stopped = identity.riskLimitDirectory.killSwitchOf(account);
  if (stopped === null) say('kill switch', 'OK', 'is not engaged');
  else {
    const scope = stopped.scope === 'service' ? '--all' : `--account ${account}`;
    say('kill switch', 'REFUSED', `is engaged by ${stopped.by}`, `sluice kill-switch release ${scope}`);
  }
  const restore = identity.trading.restore();
  if (restore?.isHalted === true && !restore.exempt.includes(account)) {
    say('restore', 'REFUSED', 'trading is halted after a restore', 'sluice trading status');
  }
  return { place, credentials: isRejected(credentials) ? null : credentials, lines };
}
