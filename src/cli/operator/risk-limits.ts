import type { Command } from 'commander';
import { operate } from '../../admin/admin-client.js';
import type { HolderName, ShownRiskLimits } from '../../admin/risk-limit-operations.js';
import { type CommandContext, dataDirectory, granted } from '../context.js';
import { examples, withReason } from '../arguments.js';
import type { Column } from '../output.js';

interface SetOptions extends HolderName {
  readonly maxNotional?: string;
  readonly maxOpenOrders?: string;
  readonly maxExposure?: string;
  readonly exchanges?: string;
  readonly symbols?: string;
  readonly priceCollarBps?: string;
  readonly selfCross?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const EXAMPLES = `${examples(
  'sluice risk-limits set --account desk --max-notional 250000 --max-open-orders 20',
  'sluice risk-limits set --account desk --max-exposure 1000000 --price-collar-bps 500 --self-cross refuse',
  'sluice risk-limits set --key 0123456789abcdef0123456789abcdef --exchanges BINANCE,OKX --symbols BTC/USDT',
  'sluice risk-limits set --account desk --max-notional off',
  'sluice risk-limits show',
)}

An order must satisfy the limits of its account and those of the key that sends it. The limits of a key also count the
open orders of the whole account. USDT, USDC and USD count as USD at par.

SLUICE_DATA_DIR is the data directory (./data). A running service applies changes from the next order on.`;

/** Adds the commands for risk limits. They work on the data directory, because no API key may change risk limits. */
export function addRiskLimitCommands(program: Command, context: CommandContext): void {
  const riskLimits = program
    .command('risk-limits')
    .alias('guardrails')
    .description('risk limits of accounts and API keys')
    .addHelpText('after', EXAMPLES);
  withReason(riskLimits.command('set'))
    .description('set or remove (off) risk limits; others stay unchanged')
    .option('--account <name>', 'account to limit')
    .option('--key <key>', 'API key to limit')
    .option('--max-notional <usd>', 'largest notional value of an order')
    .option('--max-open-orders <count>', 'largest number of open orders of the account')
    .option('--max-exposure <usd>', 'largest gross exposure: open orders and futures positions of the account')
    .option('--exchanges <list>', 'allowed exchanges, separated by commas')
    .option('--symbols <list>', 'allowed symbols: BTC/USDT is spot only, BTC/USDT:USDT the perpetual')
    .option('--price-collar-bps <bps>', 'largest distance of prices from the mid, in basis points')
    .option('--self-cross <mode>', 'refuse: no order that could trade with an open order of the account; allow')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: SetOptions) => set(context, options));
  riskLimits
    .command('show')
    .description('show risk limits')
    .option('--account <name>', 'only this account and its keys')
    .option('--key <key>', 'only this API key')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: HolderName & { readonly json?: boolean }) => show(context, options));
}

async function set(context: CommandContext, options: SetOptions): Promise<void> {
  const request = {
    max_order_notional: options.maxNotional,
    max_open_orders: options.maxOpenOrders,
    max_gross_exposure: options.maxExposure,
    allowed_exchanges: options.exchanges,
    allowed_symbols: options.symbols,
    price_collar_bps: options.priceCollarBps,
    self_cross: options.selfCross,
  };
  const { account, key, reason, json } = options;
  const params = { name: { account, key }, request };
  print(context, [granted(await operate(dataDirectory(context, reason), 'risk-limits.set', params))], json);
}

async function show(
  context: CommandContext,
  { account, key, json }: HolderName & { readonly json?: boolean },
): Promise<void> {
  print(context, granted(await operate(dataDirectory(context), 'risk-limits.show', { account, key })), json);
}

function print({ output }: CommandContext, rows: readonly ShownRiskLimits[], json: boolean | undefined): void {
  const printed = rows.map(({ account, apiKey, rules }) => ({
    account,
    ...(apiKey === null ? {} : { api_key: apiKey }),
    ...rules,
  }));
  output.show({ columns: COLUMNS, rows, empty: 'No risk limits.', json: printed }, json);
}

const COLUMNS: readonly Column<ShownRiskLimits>[] = [
  { title: 'ACCOUNT', text: ({ account }) => account },
  { title: 'API KEY', text: ({ apiKey }) => apiKey ?? '(all)' },
  { title: 'MAX NOTIONAL', text: ({ rules }) => rules.max_order_notional ?? '' },
  { title: 'MAX OPEN', text: ({ rules }) => rules.max_open_orders ?? '' },
  { title: 'MAX EXPOSURE', text: ({ rules }) => rules.max_gross_exposure ?? '' },
  { title: 'EXCHANGES', text: ({ rules }) => rules.allowed_exchanges ?? '' },
  { title: 'SYMBOLS', text: ({ rules }) => rules.allowed_symbols ?? '' },
  { title: 'COLLAR BPS', text: ({ rules }) => rules.price_collar_bps ?? '' },
  { title: 'SELF CROSS', text: ({ rules }) => rules.self_cross ?? '' },
];
