import { type Command, Option } from 'commander';
import { examples, keyExpiry, withReason } from '../arguments.js';
import { CommandFailure, type CommandContext, dataDirectory, UsageError, granted } from '../context.js';
import type { Column } from '../output.js';
import { VENUE_ENVIRONMENTS, type Venue } from '../../domain/exchange.js';
import { VENUE_PASSPHRASE_BYTES_MAX, VENUE_SECRET_BYTES_MAX } from '../../domain/limits/process.js';
import type { OrRejection } from '../../domain/rejection.js';
import type { VenueKeyPlace } from '../../keys/port.js';
import { checkVenueSecret, hasPassphrase, type VenueSecret } from '../../keys/venue-key-form.js';
import { describePlace, rowKeyOf, type VenueKeyRequest } from '../../keys/venue-key-row.js';
import {
  checkVenueKeyRequest,
  type ListedVenueKey,
  maskedApiKey,
  parseVenueKeyPlace,
  sealVenueKey,
  type VenueKeyPlaceNames,
} from '../../keys/venue-key-store.js';
import { operate, vaultOf } from '../../admin/admin-client.js';
import { placeTexts, shownApiKey } from '../../admin/venue-key-operations.js';

interface AddOptions extends VenueKeyPlaceNames {
  readonly apiKey: string;
  readonly label?: string;
  /** Epoch milliseconds. */
  readonly expires?: number;
  readonly replace?: boolean;
  readonly secretStdin?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

interface RemoveOptions extends VenueKeyPlaceNames {
  readonly yes?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

const EXAMPLES = examples(
  'sluice venue-keys add --account desk --exchange BINANCE --environment testnet --api-key KEY',
  'sluice venue-keys list',
  'sluice venue-keys check',
  'sluice venue-keys remove --account desk --exchange BINANCE --environment testnet',
);

const HELP = `${EXAMPLES}

A key signs the requests of one account, or of one sub-account, at one exchange. The secret is sealed with the master key
and is shown nowhere. Give the key no right to withdraw, and restrict it to the address of this machine.

SLUICE_DATA_DIR is the data directory (./data). A service that trades at the exchange in that
environment uses a new key within a second (SLUICE_LIVE).`;

const ADD_HELP = `${examples(
  'sluice venue-keys add --account desk --exchange BINANCE --environment testnet --api-key KEY',
  'sluice venue-keys add --account desk --exchange BINANCE --environment live --api-key KEY --secret-stdin < ed25519.pem',
  'pass show okx | sluice venue-keys add --account desk --exchange OKX --environment live --api-key KEY --secret-stdin',
  'sluice venue-keys add --account desk --subaccount fund --exchange BYBIT --environment live --api-key KEY --replace',
)}

The secret, and the passphrase of an exchange that has one, are asked without echo. With --secret-stdin they come from
standard input; the passphrase is its last line. A private key is a PEM of RSA or Ed25519 without encryption.
HYPERLIQUID: the API key is the address of the wallet, the secret its private key. B2C2: the API key is a name for the
token, the secret is the token.`;

const NO_SECRET_ARGUMENT =
  'A secret is no argument, because other users of this machine can see arguments. It is asked, or read with\n' +
  '--secret-stdin. If you have just typed a secret, replace it at the exchange.\n';

/** Adds the commands for keys of exchanges. They work on the data directory. */
export function addVenueKeyCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('venue-keys')
    .description("accounts' keys of exchanges")
    .addHelpText('after', HELP)
    // The commands below inherit it.
    .configureOutput({ outputError: (text, write) => write(withoutValue(text)) });
  withPlace(
    withReason(keys.command('add')).description('store a key; its secret is asked, or read from standard input'),
  )
    .requiredOption('--api-key <key>', 'API key, the public part')
    .option('--secret-stdin', 'read the secret from standard input')
    .option('--label <text>', 'note for the list')
    .option(
      '--expires <when>',
      'expiry: instant in ISO 8601 or duration such as 12h, 90d; default: never',
      (text: string) => keyExpiry(text, Date.now()),
    )
    .option('--replace', 'replace the present key')
    .option('--json', 'print JSON')
    .addHelpText('after', ADD_HELP)
    .action((options: AddOptions) => add(context, options));
  keys
    .command('list')
    .description('show all keys without their secrets')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice venue-keys list', 'sluice venue-keys list --json'))
    .action((options: { json?: boolean }) => list(context, options.json));
  withPlace(withReason(keys.command('remove')).description('remove a key'))
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('sluice venue-keys remove --account desk --exchange BINANCE --environment live --yes'),
    )
    .action((options: RemoveOptions) => remove(context, options));
  keys
    .command('check')
    .description('open every key with the master key')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice venue-keys check', 'sluice venue-keys check --json'))
    .action((options: { json?: boolean }) => check(context, options.json));
}

function withPlace(command: Command): Command {
  return command
    .requiredOption('--account <name>', 'account of the orders')
    .option('--subaccount <name>', 'sub-account of the orders; default: none')
    .requiredOption('--exchange <name>', 'exchange')
    .addOption(
      new Option('--environment <name>', 'environment of the exchange')
        .choices([...VENUE_ENVIRONMENTS])
        .makeOptionMandatory(),
    );
}

/** Removes the value of an unknown option from an error message: it may be a secret. */
function withoutValue(text: string): string {
  if (!text.includes('unknown option')) return text;
  return `${text.replace(/'(-[^'=]*)[^]*$/, "'$1'")}\n${NO_SECRET_ARGUMENT}`;
}

async function add(context: CommandContext, options: AddOptions): Promise<void> {
  const { output } = context;
  const { apiKey, label = null, expires: expiresAtMs = null, replace: isReplacing = false, json } = options;
  const place = granted(parseVenueKeyPlace(options));
  const request: VenueKeyRequest = { place, apiKey, label, expiresAtMs };
  const warnings = granted(checkVenueKeyRequest(request, Date.now()));
  const data = dataDirectory(context, options.reason);
  // Before a secret is asked for nothing.
  granted(await operate(data, 'venue-keys.check-new', { request, isReplacing }));
  const { secret: entered, passphrase } = await readSecret(context, request, options.secretStdin ?? false);
  const secret = granted(takeSecret(request, entered, passphrase));
  let row: Buffer;
  try {
    row = sealVenueKey(vaultOf(data), request, secret, Date.now());
  } finally {
    secret.wipe();
  }
  const params = { request, isReplacing, row: row.toString('base64') };
  const { key, hasServiceKey } = granted(await operate(data, 'venue-keys.add', params));
  for (const warning of [...warnings, ...secret.warnings]) output.warn(`Warning: ${warning}.`);
  if (!hasServiceKey)
    output.warn(`Warning: account ${place.account} has no API key of Sluice, so nothing can trade for it.`);
  if (json === true) return output.json(printedRow(key));
  output.line(`${isReplacing ? 'replaced' : 'added'} the key ${shownApiKey(key)} of ${describePlace(place)}`);
}

/** Checks what was entered, and overwrites it. */
function takeSecret(
  { place, apiKey }: VenueKeyRequest,
  entered: Buffer,
  passphrase: Buffer | null,
): OrRejection<VenueSecret> {
  try {
    return checkVenueSecret(place.venue, apiKey, entered, passphrase);
  } finally {
    entered.fill(0);
    passphrase?.fill(0);
  }
}

/** Reads secret and passphrase from standard input, or asks for them. */
async function readSecret(
  { secretInput: { ask, read } }: CommandContext,
  { place: { venue }, apiKey }: VenueKeyRequest,
  isPiped: boolean,
): Promise<{ readonly secret: Buffer; readonly passphrase: Buffer | null }> {
  if (isPiped) {
    if (ask !== undefined) {
      throw new UsageError(
        '--secret-stdin reads a pipe or a file; at a terminal leave it out, and the secret is asked',
      );
    }
    return parted(await read(VENUE_SECRET_BYTES_MAX + VENUE_PASSPHRASE_BYTES_MAX), venue);
  }
  if (ask === undefined)
    throw new UsageError('without a terminal give --secret-stdin and the secret on standard input');
  const secret = await ask(`Secret of ${maskedApiKey(apiKey)} (not shown): `, VENUE_SECRET_BYTES_MAX);
  if (!hasPassphrase(venue)) return { secret, passphrase: null };
  return { secret, passphrase: await ask('Passphrase (not shown): ', VENUE_PASSPHRASE_BYTES_MAX) };
}

const LINE_FEED = 10;
const RETURN = 13;

/** Drops one line break at the end. The last line is the passphrase where the exchange has one. */
function parted(input: Buffer, venue: Venue): { readonly secret: Buffer; readonly passphrase: Buffer | null } {
  const text = withoutLineBreak(input);
  const at = hasPassphrase(venue) ? text.lastIndexOf(LINE_FEED) : -1;
  if (at === -1) return { secret: text, passphrase: null };
  return { secret: withoutLineBreak(text.subarray(0, at + 1)), passphrase: text.subarray(at + 1) };
}

function withoutLineBreak(text: Buffer): Buffer {
  if (text.at(-1) !== LINE_FEED) return text;
  return text.subarray(0, text.at(-2) === RETURN ? -2 : -1);
}

async function list(context: CommandContext, json: boolean | undefined): Promise<void> {
  const rows = granted(await operate(dataDirectory(context), 'venue-keys.list', {}));
  context.output.show({ columns: COLUMNS, rows, empty: 'No keys of exchanges.', json: rows.map(printedRow) }, json);
}

async function remove(context: CommandContext, options: RemoveOptions): Promise<void> {
  const { output, prompt } = context;
  const place = granted(parseVenueKeyPlace(options));
  const consequence = `Sluice will not work the open orders of account ${place.account} at ${place.venue} any further`;
  const data = dataDirectory(context, options.reason);
  if (options.yes !== true) {
    if (prompt === undefined) throw new UsageError('without a terminal confirm the removal with --yes');
    const keys = granted(await operate(data, 'venue-keys.list', {}));
    const found = keys.find((key) => rowKeyOf(key.place) === rowKeyOf(place));
    if (found === undefined) throw new CommandFailure(`${describePlace(place)} has no key`);
    const question = `Remove the key ${shownApiKey(found)} of ${describePlace(place)}? ${consequence}. [y/N] `;
    if (!/^y(es)?$/i.test((await prompt(question)).trim())) throw new CommandFailure('cancelled; nothing is changed');
  }
  const key = granted(await operate(data, 'venue-keys.remove', { place }));
  if (options.json === true) return output.json(printedRow(key));
  output.line(`removed the key ${shownApiKey(key)} of ${describePlace(place)}`);
  output.warn(`${consequence}. Orders that rest there stay there.`);
}

async function check(context: CommandContext, json: boolean | undefined): Promise<void> {
  const { output } = context;
  const rows = granted(await operate(dataDirectory(context), 'venue-keys.check', {}));
  const printed = rows.map(({ place, problem }) => ({
    ...placeTexts(place),
    ...(problem === null ? { opens: true } : { opens: false, problem }),
  }));
  output.show({ columns: CHECK_COLUMNS, rows, empty: 'No keys of exchanges.', json: printed }, json);
  const count = rows.filter(({ problem }) => problem !== null).length;
  if (count > 0) throw new CommandFailure(`${count} of ${rows.length} keys of exchanges do not open`);
}

const PLACE_COLUMNS: readonly Column<{ readonly place: VenueKeyPlace }>[] = [
  { title: 'ACCOUNT', text: ({ place }) => place.account },
  { title: 'SUBACCOUNT', text: ({ place }) => place.subaccount ?? '' },
  { title: 'EXCHANGE', text: ({ place }) => place.venue },
  { title: 'ENVIRONMENT', text: ({ place }) => place.environment },
];

const COLUMNS: readonly Column<ListedVenueKey>[] = [
  ...PLACE_COLUMNS,
  { title: 'API KEY', text: shownApiKey },
  { title: 'KIND', text: ({ header }) => header?.kind ?? '' },
  { title: 'CREATED', text: ({ header }) => (header === null ? '' : iso(header.createdAtMs)) },
  {
    title: 'EXPIRES',
    text: ({ header }) => (header === null || header.expiresAtMs === null ? '' : iso(header.expiresAtMs)),
  },
  { title: 'STATE', text: stateOf },
  { title: 'LABEL', text: ({ header }) => header?.label ?? '' },
];

const CHECK_COLUMNS: readonly Column<{ readonly place: VenueKeyPlace; readonly problem: string | null }>[] = [
  ...PLACE_COLUMNS,
  { title: 'RESULT', text: ({ problem }) => problem ?? 'opens' },
];

function printedRow(key: ListedVenueKey): Record<string, unknown> {
  const { place, header } = key;
  if (header === null) return { ...placeTexts(place), state: stateOf(key) };
  const { kind, label, createdAtMs, expiresAtMs } = header;
  return {
    ...placeTexts(place),
    api_key: shownApiKey(key),
    kind,
    ...(label === null ? {} : { label }),
    created_at: iso(createdAtMs),
    ...(expiresAtMs === null ? {} : { expires_at: iso(expiresAtMs) }),
    state: stateOf(key),
  };
}

function stateOf({ header }: ListedVenueKey): string {
  if (header === null) return 'DAMAGED';
  return header.expiresAtMs !== null && header.expiresAtMs <= Date.now() ? 'EXPIRED' : 'ACTIVE';
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
