import { type Command, Option } from 'commander';
import { type RealMode, type Venue, VENUE_ENVIRONMENTS, type VenueEnvironment } from '../../domain/exchange.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { operate, vaultOf } from '../../admin/admin-client.js';
import { describePlace } from '../../keys/venue-key-row.js';
import { openVenueKey } from '../../keys/venue-keys.js';
import { mayPlace, type ProbeLine } from '../../venue/live/account-probe.js';
import { exchangeOrigin } from '../../venue/live/exchange-origin.js';
import { exchangeProxy } from '../../venue/live/exchange-proxy.js';
import { parseLiveModes } from '../../venue/live/live-modes.js';
import { examples } from '../arguments.js';
import { CommandFailure, type CommandContext, dataDirectory, UsageError, granted } from '../context.js';
import type { Column } from '../output.js';

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
exchange in SLUICE_LIVE, or else the only environment with a key. SLUICE_DATA_DIR, SLUICE_LIVE_PROXY, SLUICE_LIVE_URL_...,
HTTPS_PROXY and NODE_EXTRA_CA_CERTS have the same meaning as for the service.`;

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
  const { account, subaccount, exchange, environment: named } = options;
  const names = { account, subaccount, exchange, environment: named };
  const settings = { mode: modeOf(context, exchange), confirmation: context.env['SLUICE_LIVE_CONFIRM'] };
  const data = dataDirectory(context);
  const { place, row, lines } = granted(await operate(data, 'live.account', { ...names, ...settings }));
  const credentials = row === null ? null : granted(openVenueKey(vaultOf(data), place, Buffer.from(row, 'base64')));
  const { venue, environment } = place;
  const origin = originOf(context, venue, environment);
  const asked = credentials === null ? [] : await liveChecks.probe(venue, { credentials, environment, proxy, origin });
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

function originOf({ env }: CommandContext, venue: Venue, environment: VenueEnvironment): string | null {
  try {
    return exchangeOrigin(env, venue, environment);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
