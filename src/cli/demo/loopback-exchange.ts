import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandFailure } from '../context.js';
import { number } from '../output.js';
import type { OrderDetails } from '../../client/index.js';

/** First line of the loopback exchange: how a service reaches it, and a key of its only account. */
interface Opening {
  readonly environment: Readonly<Record<string, string>>;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** What the exchange's own ledger says about its account. Decimals are texts. */
interface Ledger {
  readonly fills: readonly LedgerFill[];
  readonly balances: Readonly<Record<string, string>>;
}

interface LedgerFill {
  readonly clientId: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly feeAsset: string;
}

/** A Binance on loopback in a process of its own, which speaks the protocol of the real one. */
export class LoopbackExchange {
  readonly opening: Opening;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, opening: Opening) {
    this.#child = child;
    this.#lines = lines;
    this.opening = opening;
  }

  /** Throws CommandFailure when the script is missing: only a clone of the project has it. */
  static async start(script: string): Promise<LoopbackExchange> {
    if (!existsSync(script))
      throw new CommandFailure(`the loopback exchange ${script} is not there: build the project`);
    const child = spawn(process.execPath, [script, 'binance', '--testnet'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done === true) throw new CommandFailure('the loopback exchange has not started');
    return new LoopbackExchange(child, lines, JSON.parse(first.value) as Opening);
  }

  async ledger(): Promise<Ledger> {
    this.#child.stdin?.write('ledger\n');
    const line = await this.#lines.next();
    if (line.done === true) throw new CommandFailure('the loopback exchange has ended');
    return JSON.parse(line.value) as Ledger;
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }
}

/** Stores the key of the exchange for account demo by the command line: the secret is no argument. */
export async function storeKey(script: string, dataDir: string, { apiKey, apiSecret }: Opening): Promise<void> {
  const place = ['--account', 'demo', '--exchange', 'BINANCE', '--environment', 'testnet'];
  const args = [script, 'venue-keys', 'add', ...place, '--api-key', apiKey, '--secret-stdin'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SLUICE_DATA_DIR: dataDir },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(`${apiSecret}\n`);
  const status = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  if (status !== 0) throw new CommandFailure('the key of the loopback exchange was not stored');
}

/** Balances of the service's account at the exchange, by asset. */
type Balances = Readonly<Record<string, number>>;

export interface Comparison {
  readonly lines: readonly string[];
  readonly isEqual: boolean;
}

/** Compares fills, fees and balances of the service with the ledger of the exchange. */
export function compareLedger(details: OrderDetails, own: Balances, ledger: Ledger): Comparison {
  const shown = (details.trades ?? []).map(({ quantity, price, fee, feeCurrency }) =>
    [quantity, price, fee, feeCurrency].join(' '),
  );
  const fills = ledger.fills.filter(({ clientId }) => clientId.startsWith(`${details.order_id}-`));
  const real = fills.map(({ quantity, price, fee, feeAsset }) =>
    [Number(quantity), Number(price), Number(fee), feeAsset].join(' '),
  );
  const areFillsEqual = shown.toSorted().join('\n') === real.toSorted().join('\n');
  const assets = Object.keys(ledger.balances);
  const areBalancesEqual = assets.every((asset) => own[asset] === Number(ledger.balances[asset]));
  const rows: [string, string][] = [
    ['fills', `${shown.length} at Sluice, ${real.length} in the ledger of the exchange: ${word(areFillsEqual)}`],
    [
      'fees',
      Object.entries(details.fees_infos ?? {})
        .map(([asset, fee]) => `${number(fee)} ${asset}`)
        .join(', '),
    ],
    ['balance', assets.map((asset) => `${number(own[asset] ?? 0)} ${asset}`).join(', ')],
    ['ledger', assets.map((asset) => `${ledger.balances[asset] ?? '0'} ${asset}`).join(', ')],
    ['balances', word(areBalancesEqual)],
  ];
  return {
    lines: ['Compared with the exchange', ...rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`)],
    isEqual: areFillsEqual && areBalancesEqual && real.length > 0,
  };
}

function word(isEqual: boolean): string {
  return isEqual ? 'equal' : 'NOT EQUAL';
}
