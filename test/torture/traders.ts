import type { OrderRequest, SluiceClient } from '../../src/client/index.js';
import { untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { AccountChecks } from './account-checks.js';
import { Changes } from './changes.js';
import type { Witness } from './checks.js';
import type { AccountSession } from './account-session.js';
import { place, randomOrder, type Ledger } from './ledger.js';
import type { Random } from './random.js';

const CLIENTS_COUNT = 12;
const SYMBOLS: readonly (readonly [string, string])[] = [
  ['BTC/USDT', '0.00'],
  ['ETH/USDT', '0.0'],
  ['SOL/USDT', '0.'],
];

/**
 * Clients of one account that place, change, cancel and read single orders as fast as they are answered. Half of them
 * use a session of order entry.
 */
export class Traders implements Actor {
  readonly #session: AccountSession;
  readonly #changes: Changes;
  readonly accountChecks: AccountChecks;

  constructor(session: AccountSession, witness: Omit<Witness, 'account'>) {
    this.#session = session;
    this.#changes = new Changes(session);
    this.accountChecks = new AccountChecks(session, ['BINANCE'], witness);
  }

  mark(): void {
    this.accountChecks.mark();
  }

  restored(): void {
    this.accountChecks.restored();
  }

  check(run: ServiceRun): Promise<void> {
    return this.accountChecks.check(run);
  }

  settle(run: ServiceRun): Promise<void> {
    return this.accountChecks.settle(run);
  }

  async work(run: ServiceRun): Promise<void> {
    const { random, report } = run;
    const { client, sessionClient, ledger } = this.#session;
    const act = async (by: SluiceClient): Promise<void> => {
      const dice = random.next();
      if (dice < 0.6) await place(by, ledger, newRequest(ledger, random));
      else if (dice >= 0.9 || !(await this.#changes.makeOne({ random, report }, by))) await this.#readOne(random);
    };
    const clients = Array.from({ length: CLIENTS_COUNT }, (_, index) => (index % 2 === 0 ? client : sessionClient));
    await Promise.all(clients.map((by) => untilServiceEnds(run, () => act(by))));
  }

  async #readOne(random: Random): Promise<void> {
    const order = randomOrder(this.#session.ledger, random);
    if (order === undefined) return;
    const found = await this.#session.client.byId({ orderIds: [order.orderId], includeTrades: true });
    if (found.length !== 1) throw new Error(`acknowledged order ${order.orderId} is not found`);
  }
}

function newRequest(ledger: Ledger, random: Random): OrderRequest {
  const [symbol, quantityPrefix] = random.pick(SYMBOLS);
  const base = {
    client_order_id: `torture-${ledger.nextClientId++}`,
    exchange: 'BINANCE',
    symbol,
    asset_category: 'SPOT',
    side: random.pick(['BUY', 'SELL'] as const),
    quantity: `${quantityPrefix}${1 + random.below(9)}${random.below(10)}`,
  } as const;
  const dice = random.next();
  if (dice < 0.5) {
    const style = random.pick(['PASSIVE', 'HYBRID', 'AGGRESSIVE'] as const);
    const duration = String(2 + random.below(20));
    return { ...base, strategy: 'TWAP', params: { duration_seconds: duration, trading_style: style } };
  }
  if (dice < 0.75) return { ...base, strategy: 'MARKET' };
  return { ...base, strategy: 'LIMIT', limit_price: limitOf(symbol, base.side) };
}

/** Limit price that rests, so that cancels have an effect. */
function limitOf(symbol: string, side: 'BUY' | 'SELL'): string {
  const middle = { 'BTC/USDT': 64_000, 'ETH/USDT': 2_680, 'SOL/USDT': 155 }[symbol] ?? 1;
  return String(Math.round(side === 'BUY' ? middle * 0.98 : middle * 1.02));
}
