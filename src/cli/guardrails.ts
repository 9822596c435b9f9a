import type { Command } from 'commander';
import { listGuardrails, setGuardrails, type HolderName, type ShownGuardrails } from '../operator/guardrails.js';
import { dataDirectory } from './context.js';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { granted } from './granted.js';
import type { Column } from './table.js';

interface SetOptions extends HolderName {
  readonly maxNotional?: string;
  readonly maxOpenOrders?: string;
  readonly maxExposure?: string;
  readonly exchanges?: string;
  readonly symbols?: string;
  readonly priceCollarBps?: string;
  readonly selfCross?: string;
  readonly json?: boolean;
}

const EXAMPLES = `${examples(
  'sluice guardrails set --account desk --max-notional 250000 --max-open-orders 20',
  'sluice guardrails set --account desk --max-exposure 1000000 --price-collar-bps 500 --self-cross refuse',
  'sluice guardrails set --key 0123456789abcdef0123456789abcdef --exchanges BINANCE,OKX --symbols BTC/USDT',
  'sluice guardrails set --account desk --max-notional off',
  'sluice guardrails show',
)}

Orders of an account are held to its own guardrails and to those of the key that sends them; a key is held to what its
whole account has open. USDT, USDC and USD count as USD, one for one.

SLUICE_DATA_DIR names the data directory (./data). The service may run meanwhile: changes count from the next order on.`;

/** The commands that limit what orders may be placed. They work on the data directory itself: no key can do this. */
export function addGuardrailCommands(program: Command, context: CommandContext): void {
  const guardrails = program
    .command('guardrails')
    .description('limits of what orders accounts and keys may place')
    .addHelpText('after', EXAMPLES);
  guardrails
    .command('set')
    .description('set or lift (off) guardrails; those that are not named stay')
    .option('--account <name>', 'account whose orders they hold')
    .option('--key <key>', 'API key whose orders they hold')
    .option('--max-notional <usd>', 'worth of one order at most')
    .option('--max-open-orders <count>', 'open orders of the account at most')
    .option('--max-exposure <usd>', 'worth of open orders and futures positions of the account at most')
    .option('--exchanges <list>', 'exchanges that may be traded at, with commas between')
    .option('--symbols <list>', 'symbols that may be traded: BTC/USDT is spot alone, BTC/USDT:USDT the perpetual')
    .option('--price-collar-bps <bps>', 'how far prices may lie from the mid, in basis points')
    .option('--self-cross <mode>', 'refuse: no order that could trade with an open one of the account; allow')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: SetOptions) => set(context, options));
  guardrails
    .command('show')
    .description('show the guardrails that are set')
    .option('--account <name>', 'of this account and its keys alone')
    .option('--key <key>', 'of this API key alone')
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
  print(context, [granted(await setGuardrails(dataDirectory(context), options, request))], options.json);
}

async function show(context: CommandContext, options: HolderName & { readonly json?: boolean }): Promise<void> {
  print(context, granted(await listGuardrails(dataDirectory(context), options)), options.json);
}

function print({ output }: CommandContext, rows: readonly ShownGuardrails[], json: boolean | undefined): void {
  const told = rows.map(({ account, apiKey, rules }) => ({
    account,
    ...(apiKey === null ? {} : { api_key: apiKey }),
    ...rules,
  }));
  output.show({ columns: COLUMNS, rows, empty: 'No guardrails.', json: told }, json);
}

const COLUMNS: readonly Column<ShownGuardrails>[] = [
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
