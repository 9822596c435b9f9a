import type { OrderRequest } from '../../src/client/index.js';
import { untilDeath, type Actor, type Life } from './actor.js';
import { Books } from './books.js';
import { Changes } from './changes.js';
import type { Witness } from './checks.js';
import type { Desk } from './desk.js';
import { place, randomOrder, type Ledger } from './ledger.js';
import type { Random } from './random.js';

const CLIENTS_COUNT = 12;
const SYMBOLS: readonly (readonly [string, string])[] = [
  ['BTC/USDT', '0.00'],
  ['ETH/USDT', '0.0'],
  ['SOL/USDT', '0.'],
];

/** Clients of one account that place, change, cancel and read single orders as fast as they are answered. */
export class Traders implements Actor {
  readonly #desk: Desk;
  readonly #changes: Changes;
  readonly books: Books;

  constructor(desk: Desk, witness: Omit<Witness, 'account'>) {
    this.#desk = desk;
    this.#changes = new Changes(desk);
    this.books = new Books(desk, ['BINANCE'], witness);
  }

  mark(): void {
    this.books.mark();
  }

  restored(): void {
    this.books.restored();
  }

  check(life: Life): Promise<void> {
    return this.books.check(life);
  }

  settle(life: Life): Promise<void> {
    return this.books.settle(life);
  }

  async work(life: Life): Promise<void> {
    const { random, report } = life;
    const { client, ledger } = this.#desk;
    const act = async (): Promise<void> => {
      const dice = random.next();
      if (dice < 0.6) await place(client, ledger, newRequest(ledger, random));
      else if (dice >= 0.9 || !(await this.#changes.makeOne({ random, report }))) await this.#readOne(random);
    };
    await Promise.all(Array.from({ length: CLIENTS_COUNT }, () => untilDeath(life, act)));
  }

  async #readOne(random: Random): Promise<void> {
    const order = randomOrder(this.#desk.ledger, random);
    if (order === undefined) return;
    const found = await this.#desk.client.byId({ orderIds: [order.orderId], includeTrades: true });
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

/** Far enough to rest, so that cancels have something to do. */
function limitOf(symbol: string, side: 'BUY' | 'SELL'): string {
  const middle = { 'BTC/USDT': 64_000, 'ETH/USDT': 2_680, 'SOL/USDT': 155 }[symbol] ?? 1;
  return String(Math.round(side === 'BUY' ? middle * 0.98 : middle * 1.02));
}
