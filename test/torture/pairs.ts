import type { MultiLegOrderRequest, OrderDetails } from '../../src/client/index.js';
import { pause, untilDeath, type Actor, type Life } from './actor.js';
import { Books } from './books.js';
import { Changes } from './changes.js';
import type { Witness } from './checks.js';
import type { Desk } from './desk.js';
import { place, type Ledger } from './ledger.js';
import type { Random } from './random.js';
import { wholeTimeline } from './reviews.js';

/** Of every ten pairs. */
const LED_COUNT = 7;
const CLIENTS_COUNT = 3;
const REST_MS = 30;
/** The larger lot of the two venues, in units of the base, and half a digit for the sums of floats. */
const LOT = 0.000_015;
/** What an order says that could not be brought level. */
const UNHEDGED = /unhedged/;

/** Clients of an account that work pairs over two exchanges, led and not, and have them paused and cancelled midway. */
export class Pairs implements Actor {
  readonly #desk: Desk;
  readonly #changes: Changes;
  readonly books: Books;
  readonly #judged = new Set<number>();
  /** Pairs that ended apart, and said so. */
  unevenCount = 0;

  constructor(desk: Desk, witness: Omit<Witness, 'account'>) {
    this.#desk = desk;
    this.#changes = new Changes(desk);
    this.books = new Books(desk, ['BINANCE', 'OKX'], witness);
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

  async work(life: Life): Promise<void> {
    const { random, report } = life;
    const { client, ledger } = this.#desk;
    const act = async (): Promise<void> => {
      await pause(REST_MS);
      if (random.next() < 0.7) return void (await place(client, ledger, newPair(ledger, random)));
      await this.#changes.makeOne({ random, report });
    };
    await Promise.all(Array.from({ length: CLIENTS_COUNT }, () => untilDeath(life, act)));
  }

  async settle(life: Life): Promise<void> {
    await this.books.settle(life);
    const { client, ledger } = this.#desk;
    for (const { orderId } of ledger.acknowledged.values()) {
      if (this.#judged.has(orderId)) continue;
      this.#judged.add(orderId);
      const [order] = await client.byId({ orderIds: [orderId] });
      const children = (await wholeTimeline(client, orderId))
        .filter(({ event }) => event === 'ChildSubmitted')
        .map(({ child_order_id: child }) => child);
      if (new Set(children).size !== children.length)
        life.report(`pair ${orderId} placed a child twice: ${children.join(' ')}`);
      this.#judgeEnd(order, life);
    }
  }

  /** Both legs have the same target in the same base: they end with the same, or the order says what is missing. */
  #judgeEnd(order: OrderDetails | undefined, { report }: Life): void {
    const [one, other] = (order?.legs ?? []).map(({ filled_quantity: filled }) => filled);
    if (one === undefined || other === undefined) return report(`a pair has no legs: ${JSON.stringify(order)}`);
    if (Math.abs(one - other) < LOT) return;
    if (UNHEDGED.test(order?.message ?? '')) this.unevenCount += 1;
    else report(`pair ${order?.order_id} ended with ${one} and ${other}: ${JSON.stringify(order)}`);
  }
}

function newPair(ledger: Ledger, random: Random): MultiLegOrderRequest {
  const target = `0.${String(5 + random.below(50)).padStart(3, '0')}`;
  const leg = { symbol: 'BTC/USDT', asset_category: 'SPOT', ccy: 'BTC', target_value: target } as const;
  const sides = random.pick([['BUY', 'SELL'] as const, ['SELL', 'BUY'] as const]);
  const isLed = random.below(10) < LED_COUNT;
  const leader = random.below(2);
  const working = {
    strategy: 'TWAP',
    params: {
      duration_seconds: String(2 + random.below(10)),
      trading_style: random.pick(['PASSIVE', 'HYBRID', 'AGGRESSIVE'] as const),
    },
  } as const;
  const legs = (['BINANCE', 'OKX'] as const).map((exchange, index) => {
    const side = sides[index] ?? 'BUY';
    if (!isLed) return { ...leg, exchange, side, ...working, params: { ...working.params, is_leading: false } };
    if (index !== leader) return { ...leg, exchange, side, strategy: 'MARKET' as const };
    return { ...leg, exchange, side, ...working, params: { ...working.params, is_leading: true } };
  });
  return { client_order_id: `pair-${ledger.nextClientId++}`, algo: 'PAIR', legs };
}
