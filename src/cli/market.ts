import type { Command } from 'commander';
import type {
  Balance,
  Exchange,
  FundingRate,
  Instrument,
  MarketFilter,
  Position,
  SluiceClient,
} from '../client/index.js';
import { SluiceError } from '../client/index.js';
import { asciiUpper } from '../domain/letter-case.js';
import { examples } from './arguments.js';
import { type CommandContext, CommandFailure, UsageError, withClient } from './context.js';
import { type Column, number, percent } from './output.js';

interface JsonOption {
  readonly json?: boolean;
}

export function addMarketCommands(program: Command, context: CommandContext): void {
  addExchanges(program, context);
  addInstruments(program, context);
}

function addExchanges(program: Command, context: CommandContext): void {
  program
    .command('exchanges')
    .description('exchanges and their connection status')
    .option('--all', 'include exchanges that only list instruments')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice exchanges', 'sluice exchanges --all --json'))
    .action(({ all, json }: JsonOption & { readonly all?: boolean }) =>
      withClient(context, async (client) => {
        const rows = await client.exchanges({ all });
        context.output.show({ columns: EXCHANGE_COLUMNS, rows, empty: 'No exchanges.', json: rows }, json);
      }),
    );
}

function addInstruments(program: Command, context: CommandContext): void {
  program
    .command('instruments')
    .description('tradable instruments with their grid and order limits')
    .option('--exchange <name>', 'only this exchange')
    .option('--symbol <symbol>', 'only this symbol, for example BTC/USDT, or BTC/USDT:USDT for the perpetual')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice instruments --exchange OKX', 'sluice instruments --symbol BTC/USDT --json'))
    .action(({ json, ...filter }: JsonOption & MarketFilter) =>
      withClient(context, async (client) => {
        const rows = await client.instruments(filter);
        context.output.show({ columns: INSTRUMENT_COLUMNS, rows, empty: 'No instruments.', json: rows }, json);
      }),
    );
}

const EXCHANGE_COLUMNS: readonly Column<Exchange>[] = [
  { title: 'ID', text: (entry) => String(entry.id), align: 'RIGHT' },
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'NAME', text: (entry) => entry.name },
  { title: 'LISTS', text: (entry) => entry.asset_classes.join(',') },
  { title: 'TRADABLE', text: (entry) => (entry.tradable ? 'yes' : 'no') },
  { title: 'MODE', text: ({ mode, live_mode: live }) => live?.toUpperCase() ?? mode },
  { title: 'STATUS', text: (entry) => entry.status },
];

function stepText(precision: number, step = 1): string {
  return number(step / 10 ** precision, precision);
}

const INSTRUMENT_COLUMNS: readonly Column<Instrument>[] = [
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'SYMBOL', text: (entry) => entry.symbol },
  { title: 'CLASS', text: (entry) => entry.assetClass },
  { title: 'LOT', text: (entry) => stepText(entry.quantityPrecision, entry.quantityStep), align: 'RIGHT' },
  { title: 'TICK', text: (entry) => stepText(entry.pricePrecision, entry.priceStep), align: 'RIGHT' },
  { title: 'QUANTITY', text: (entry) => `${number(entry.minQuantityLimit)} to ${number(entry.maxQuantityLimit)}` },
  { title: 'MIN COST', text: (entry) => number(entry.minCostLimit), align: 'RIGHT' },
  { title: 'ENABLED', text: (entry) => (entry.enabled ? 'yes' : 'no') },
];

interface FundingOptions {
  readonly exchange?: string;
  readonly symbol?: string;
  readonly history?: boolean;
  readonly json?: boolean;
}

export function addFundingCommand(program: Command, context: CommandContext): void {
  program
    .command('funding')
    .description('funding rates of futures: latest and next, or the past month with --history')
    .option('--exchange <name>', 'only this exchange')
    .option('--symbol <symbol>', 'only this symbol, for example BTC/USDT')
    .option('--history', 'rates of one future in the past month; needs --exchange and --symbol')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('sluice funding --symbol BTC/USDT', 'sluice funding --history --exchange OKX --symbol BTC/USDT --json'),
    )
    .action((options: FundingOptions) =>
      withClient(context, async (client) => {
        const rows = await ratesOf(client, options);
        context.output.show({ columns: FUNDING_COLUMNS, rows, empty: 'No funding rates.', json: rows }, options.json);
      }),
    );
}

function ratesOf(client: SluiceClient, { exchange, symbol, history }: FundingOptions): Promise<readonly FundingRate[]> {
  if (history !== true) return client.lastFundingRates({ exchange, symbol });
  if (exchange === undefined || symbol === undefined) throw new UsageError('--history needs --exchange and --symbol');
  return client.fundingRateHistory(exchange, symbol);
}

const FUNDING_COLUMNS: readonly Column<FundingRate>[] = [
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'SYMBOL', text: (entry) => entry.symbol },
  { title: 'TIME', text: (entry) => entry.time },
  { title: 'RATE', text: (entry) => rateText(entry.rate), align: 'RIGHT' },
  { title: 'NEXT', text: (entry) => rateText(entry.nextRate), align: 'RIGHT' },
  { title: 'MARK', text: ({ markPrice }) => (markPrice === undefined ? '' : number(markPrice)), align: 'RIGHT' },
];

/** Rates are multiples of 10^-6. */
function rateText(rate: number | undefined): string {
  return percent(rate ?? null, 4);
}

interface AccountOptions extends JsonOption {
  readonly exchange?: string;
}

/** A row of an account with its exchange. */
type AtExchange<Row> = Row & { readonly exchange: string };

export function addBalancesCommand(program: Command, context: CommandContext): void {
  program
    .command('balances')
    .description('balances of the account above zero')
    .option('--exchange <name>', 'only this exchange (all)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice balances', 'sluice balances --exchange OKX --json'))
    .action((options: AccountOptions) =>
      withClient(context, async (client) => {
        const look = (exchange: string): Promise<readonly Balance[]> => client.balances(exchange);
        const found = await atExchanges(client, options.exchange, look);
        showRows(context, found, { columns: BALANCE_COLUMNS, empty: 'No balances.' }, options.json);
      }),
    );
}

const BALANCE_COLUMNS: readonly Column<AtExchange<Balance>>[] = [
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'ASSET', text: (entry) => entry.symbol },
  { title: 'BALANCE', text: (entry) => number(entry.balance), align: 'RIGHT' },
  { title: 'FREE', text: (entry) => number(entry.free), align: 'RIGHT' },
];

export function addPositionsCommand(program: Command, context: CommandContext): void {
  program
    .command('positions')
    .description('open positions of the account')
    .option('--exchange <name>', 'only this exchange (all)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('sluice positions', 'sluice positions --exchange OKX --json'))
    .action((options: AccountOptions) =>
      withClient(context, async (client) => {
        const look = (exchange: string): Promise<readonly Position[]> => client.positions(exchange);
        const found = await atExchanges(client, options.exchange, look);
        showRows(context, found, { columns: POSITION_COLUMNS, empty: 'No positions.' }, options.json);
      }),
    );
}

const POSITION_COLUMNS: readonly Column<AtExchange<Position>>[] = [
  { title: 'EXCHANGE', text: (entry) => entry.exchange },
  { title: 'SYMBOL', text: (entry) => entry.symbol },
  { title: 'SIDE', text: (entry) => entry.side },
  { title: 'CONTRACTS', text: (entry) => number(entry.contracts), align: 'RIGHT' },
  { title: 'ENTRY', text: (entry) => number(entry.entryPrice), align: 'RIGHT' },
  { title: 'MARK', text: (entry) => number(entry.markPrice), align: 'RIGHT' },
  { title: 'PNL', text: (entry) => number(entry.unrealizedPnl, 2), align: 'RIGHT' },
  { title: 'NOTIONAL', text: (entry) => number(entry.notional, 2), align: 'RIGHT' },
  { title: 'COLLATERAL', text: (entry) => number(entry.collateral, 2), align: 'RIGHT' },
  { title: 'LEVERAGE', text: (entry) => number(entry.leverage), align: 'RIGHT' },
  { title: 'LIQUIDATION', text: (entry) => number(entry.liquidationPrice), align: 'RIGHT' },
  { title: 'MARGIN', text: (entry) => entry.marginMode },
];

/** Rows of an account at its exchanges, and the exchanges that did not answer. */
interface Found<Row> {
  readonly rows: readonly AtExchange<Row>[];
  readonly failures: readonly { readonly exchange: string; readonly error: SluiceError }[];
}

/**
 * Asks the named exchange, or all. A service with real exchanges simulates none: the others hold nothing of the
 * account.
 */
async function atExchanges<Row extends object>(
  client: SluiceClient,
  exchange: string | undefined,
  look: (exchange: string) => Promise<readonly Row[]>,
): Promise<Found<Row>> {
  const named = (name: string, found: readonly Row[]): AtExchange<Row>[] =>
    found.map((row) => ({ exchange: name, ...row }));
  if (exchange !== undefined) {
    return { rows: named(asciiUpper(exchange), await look(exchange)), failures: [] };
  }
  const listed = await client.exchanges({});
  const real = listed.filter(({ mode }) => mode === 'LIVE');
  const answers = await Promise.all(
    (real.length > 0 ? real : listed).map(async ({ exchange: name }) => {
      try {
        return { rows: named(name, await look(name)), failures: [] };
      } catch (error) {
        if (error instanceof SluiceError && error.code === 'EXCHANGE_NOT_AVAILABLE') {
          return { rows: [], failures: [{ exchange: name, error }] };
        }
        throw error;
      }
    }),
  );
  return { rows: answers.flatMap(({ rows }) => rows), failures: answers.flatMap(({ failures }) => failures) };
}

/** Prints the rows. An exchange without an answer fails the command after them: its rows are missing. */
function showRows<Row>(
  { output }: CommandContext,
  { rows, failures }: Found<Row>,
  shown: { readonly columns: readonly Column<AtExchange<Row>>[]; readonly empty: string },
  json: boolean | undefined,
): void {
  output.show({ ...shown, rows, json: rows }, json);
  for (const { exchange, error } of failures) output.warn(`sluice: ${exchange}: ${error.message}`);
  if (failures.length > 0) {
    throw new CommandFailure(
      `${failures.map(({ exchange }) => exchange).join(', ')} did not answer: its rows are missing`,
    );
  }
}
