import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import type { Command } from 'commander';
import { createKey, listKeys, revokeKey } from '../operator/keys.js';
import { CommandFailure, dataDirectory, UsageError } from './context.js';
import type { CommandContext } from './context.js';
import type { Column } from './table.js';

type Permission = 'read' | 'trade';
type Created = Extract<Awaited<ReturnType<typeof createKey>>, { apiKey: unknown }>;
type Listed = Extract<Awaited<ReturnType<typeof revokeKey>>, { apiKey: unknown }>;

interface CreateOptions {
  readonly account: string;
  readonly permissions: Permission;
  readonly rsaPublicKey?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  $ sluice keys create --account demo --permissions trade
  $ sluice keys create --account demo --permissions read --rsa-public-key key.pem --json
  $ sluice keys revoke 0123456789abcdef0123456789abcdef

SLUICE_DATA_DIR names the data directory (./data). The service may run meanwhile: changes count at once.`;

export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys of this data directory').addHelpText('after', EXAMPLES);
  keys
    .command('create')
    .description('make a key and print its secret, this once')
    .requiredOption('--account <name>', 'account that the key acts for')
    .addOption(
      new Option('--permissions <what>', 'read, or trade (which includes read)')
        .choices(['read', 'trade'])
        .default('read'),
    )
    .option('--rsa-public-key <file>', 'SPKI PEM of an RSA key of yours (2048 bits or more) instead of a secret')
    .option('--json', 'print JSON')
    .action((options: CreateOptions) => create(context, options));
  keys
    .command('list')
    .description('show all keys, revoked ones too')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => list(context, options.json));
  keys
    .command('revoke <key>')
    .description('refuse a key from now on')
    .option('--json', 'print JSON')
    .action((key: string, options: { json?: boolean }) => revoke(context, key, options.json));
}

async function create(context: CommandContext, options: CreateOptions): Promise<void> {
  const { account, permissions, rsaPublicKey, json } = options;
  const kind =
    rsaPublicKey === undefined
      ? ({ kind: 'HMAC' } as const)
      : ({ kind: 'RSA', publicKey: readPem(rsaPublicKey) } as const);
  const key = granted(await createKey(dataDirectory(context), { account, permissions: [permissions], ...kind }));
  if (json === true) return context.output.json(printedKey(key));
  for (const [name, value] of Object.entries(printedKey(key)))
    context.output.line(`${name.padEnd(12)} ${String(value)}`);
  if (key.apiSecret !== null) context.output.warn('The secret is shown this once; it cannot be read again.');
}

async function list(context: CommandContext, json: boolean | undefined): Promise<void> {
  const rows = granted(await listKeys(dataDirectory(context)));
  context.output.show({ columns: KEY_COLUMNS, rows, empty: 'No keys yet.', json: rows.map(printedRow) }, json);
}

async function revoke(context: CommandContext, apiKey: string, json: boolean | undefined): Promise<void> {
  const key = granted(await revokeKey(dataDirectory(context), apiKey));
  if (json === true) return context.output.json(printedRow(key));
  context.output.line(`revoked ${key.apiKey} of account ${key.account}`);
}

function printedKey(key: Created): Record<string, unknown> {
  const secret = key.apiSecret === null ? {} : { api_secret: key.apiSecret };
  return { api_key: key.apiKey, ...secret, account: key.account, permissions: key.permissions };
}

function printedRow(key: Listed): Record<string, unknown> {
  const revoked = key.revokedAtMs === null ? {} : { revoked_at: iso(key.revokedAtMs) };
  return {
    api_key: key.apiKey,
    account: key.account,
    permissions: key.permissions,
    kind: key.kind,
    created_at: iso(key.createdAtMs),
    ...revoked,
  };
}

const KEY_COLUMNS: readonly Column<Listed>[] = [
  { title: 'API KEY', text: (key) => key.apiKey },
  { title: 'ACCOUNT', text: (key) => key.account },
  { title: 'PERMISSIONS', text: (key) => key.permissions.join(',') },
  { title: 'KIND', text: (key) => key.kind },
  { title: 'CREATED', text: (key) => iso(key.createdAtMs) },
  { title: 'REVOKED', text: (key) => (key.revokedAtMs === null ? '' : iso(key.revokedAtMs)) },
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

type Refused = { readonly rejection: { readonly message: string } };

function granted<Result extends object>(result: Result): Exclude<Result, Refused> {
  if ('rejection' in result) throw new CommandFailure((result as Refused).rejection.message);
  return result as Exclude<Result, Refused>;
}
