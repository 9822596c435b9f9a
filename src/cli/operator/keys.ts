import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { examples, keyExpiry, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory, UsageError, granted } from '../context.js';
import type { Column } from '../output.js';
import type { CreatedKey, KeyRequest, ListedKey } from '../../runtime/identity.js';
import type { Permission } from '../../keys/port.js';
import type { OrRejection } from '../../domain/rejection.js';
import { type DataDirectory, operate } from '../../admin/admin-client.js';
import { boundsText } from '../../admin/key-operations.js';

interface CreateOptions {
  readonly account: string;
  readonly permissions: Permission;
  readonly rsaPublicKey?: string;
  readonly allowIp?: readonly string[];
  /** Epoch milliseconds. */
  readonly expires?: number;
  readonly requireSignV2?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

interface ChangeOptions {
  readonly reason?: string;
  readonly json?: boolean;
}

type ConfirmOptions = ChangeOptions & { readonly all?: boolean };

const EXAMPLES = `${examples(
  'sluice keys create --account demo --permissions trade',
  'sluice keys list',
  'sluice keys revoke 0123456789abcdef0123456789abcdef',
)}

An account may have any number of keys. A key with allowed networks works from these networks only. The service checks the
address of the connection, never a header such as X-Forwarded-For.

SLUICE_DATA_DIR is the data directory (./data). A running service applies changes at once.`;

const CREATE_EXAMPLES = examples(
  'sluice keys create --account demo --permissions trade',
  'sluice keys create --account demo --permissions read --rsa-public-key key.pem --json',
  'sluice keys create --account desk --permissions trade --allow-ip 10.1.0.0/16 2001:db8::/48 --expires 90d',
);

export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys of the data directory').addHelpText('after', EXAMPLES);
  withReason(keys.command('create'))
    .description('create a key and print its secret once')
    .requiredOption('--account <name>', 'account of the key')
    .addOption(
      new Option('--permissions <what>', 'read, or trade (which includes read)')
        .choices(['read', 'trade'])
        .default('read'),
    )
    .option('--rsa-public-key <file>', 'public RSA key (SPKI PEM, at least 2048 bits) instead of a secret')
    .option('--allow-ip <network...>', 'allowed IPv4 or IPv6 addresses or CIDR networks; default: all')
    .option(
      '--expires <when>',
      'expiry: instant in ISO 8601 or duration such as 12h, 30d; default: never',
      (text: string) => keyExpiry(text, Date.now()),
    )
    .option(
      '--require-sign-v2',
      'accept X-SIGN-VERSION 2 only, whose signature covers method and path; default: both versions',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', CREATE_EXAMPLES)
    .action((options: CreateOptions) => create(context, options));
  keys
    .command('list')
    .description('show all keys including revoked ones')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice keys list', 'SLUICE_DATA_DIR=/srv/sluice sluice keys list --json'))
    .action((options: { json?: boolean }) => list(context, options.json));
  withReason(keys.command('confirm [key]'))
    .description('accept a key again that a restore has suspended')
    .option('--all', 'all suspended keys')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice keys confirm 0123456789abcdef0123456789abcdef', 'sluice keys confirm --all'))
    .action((key: string | undefined, options: ConfirmOptions) => confirm(context, key, options));
  withReason(keys.command('revoke <key>'))
    .description('revoke a key')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice keys revoke 0123456789abcdef0123456789abcdef'))
    .action((key: string, options: ChangeOptions) => revoke(context, key, options));
}

async function create(context: CommandContext, options: CreateOptions): Promise<void> {
  const { account, permissions, rsaPublicKey, allowIp = [], expires, requireSignV2 = false, reason, json } = options;
  const kind =
    rsaPublicKey === undefined
      ? ({ kind: 'HMAC' } as const)
      : ({ kind: 'RSA', publicKey: readPem(rsaPublicKey) } as const);
  const bounds = {
    allowedNetworks: allowIp,
    needsSignV2: requireSignV2,
    ...(expires === undefined ? {} : { expiresAtMs: expires }),
  };
  const request = { account, permissions: [permissions], ...bounds, ...kind };
  const key = granted(await createKey(dataDirectory(context, reason), request));
  if (json === true) return context.output.json(printedKey(key));
  for (const [name, value] of Object.entries(printedKey(key)))
    context.output.line(`${name.padEnd(12)} ${String(value)}`);
  if (key.apiSecret !== null) context.output.warn('Store the secret now. It cannot be shown again.');
}

async function list(context: CommandContext, json: boolean | undefined): Promise<void> {
  const rows = granted(await operate(dataDirectory(context), 'keys.list', {}));
  context.output.show({ columns: KEY_COLUMNS, rows, empty: 'No keys yet.', json: rows.map(printedRow) }, json);
  for (const { apiKey, weakness, revokedAtMs } of rows) {
    if (weakness === null || revokedAtMs !== null) continue;
    context.output.warn(
      `sluice: the service refuses ${apiKey}: its RSA public key has ${weakness}; create another one and revoke it`,
    );
  }
}

async function confirm(
  context: CommandContext,
  apiKey: string | undefined,
  { all = false, reason, json }: ConfirmOptions,
): Promise<void> {
  if ((apiKey === undefined) === !all) throw new UsageError('give either a key or --all');
  const data = dataDirectory(context, reason);
  const confirmed = granted(await operate(data, 'keys.confirm', { apiKey: apiKey ?? null }));
  if (json === true) return context.output.json(confirmed.map(printedRow));
  for (const key of confirmed) context.output.line(`confirmed ${key.apiKey} of account ${key.account}`);
  if (confirmed.length === 0) context.output.line('No key is suspended.');
}

async function revoke(context: CommandContext, apiKey: string, { reason, json }: ChangeOptions): Promise<void> {
  const key = granted(await operate(dataDirectory(context, reason), 'keys.revoke', { apiKey }));
  if (json === true) return context.output.json(printedRow(key));
  context.output.line(`revoked ${key.apiKey} of account ${key.account}`);
}

function printedKey(key: CreatedKey): Record<string, unknown> {
  const secret = key.apiSecret === null ? {} : { api_secret: key.apiSecret };
  return {
    api_key: key.apiKey,
    ...secret,
    account: key.account,
    permissions: key.permissions,
    ...boundsText(key),
  };
}

function printedRow(key: ListedKey): Record<string, unknown> {
  const revoked = key.revokedAtMs === null ? {} : { revoked_at: iso(key.revokedAtMs) };
  const suspended = key.suspendedAtMs === null ? {} : { suspended_at: iso(key.suspendedAtMs) };
  return {
    api_key: key.apiKey,
    account: key.account,
    permissions: key.permissions,
    kind: key.kind,
    ...boundsText(key),
    ...(key.weakness === null ? {} : { weakness: key.weakness }),
    created_at: iso(key.createdAtMs),
    ...suspended,
    ...revoked,
  };
}

const KEY_COLUMNS: readonly Column<ListedKey>[] = [
  { title: 'API KEY', text: (key) => key.apiKey },
  { title: 'ACCOUNT', text: (key) => key.account },
  { title: 'PERMISSIONS', text: (key) => key.permissions.join(',') },
  { title: 'KIND', text: (key) => key.kind },
  { title: 'SIGN', text: ({ needsSignV2 }) => (needsSignV2 ? 'v2' : 'v1, v2') },
  { title: 'CREATED', text: (key) => iso(key.createdAtMs) },
  { title: 'EXPIRES', text: (key) => (key.expiresAtMs === null ? '' : iso(key.expiresAtMs)) },
  { title: 'ALLOWED FROM', text: (key) => key.allowedNetworks.join(',') },
  { title: 'REVOKED', text: (key) => (key.revokedAtMs === null ? '' : iso(key.revokedAtMs)) },
  { title: 'SUSPENDED', text: (key) => (key.suspendedAtMs === null ? '' : iso(key.suspendedAtMs)) },
];

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--rsa-public-key: ${(error as Error).message}`);
  }
}

/** Creates a key, and the data directory when it is absent. A running service accepts the key at its next request. */
export function createKey(data: DataDirectory, request: KeyRequest): Promise<OrRejection<CreatedKey>> {
  return operate(data, 'keys.create', request);
}
