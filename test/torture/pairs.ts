import type { MultiLegOrderRequest, OrderDetails } from '../../src/client/index.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { AccountChecks } from './account-checks.js';
import { Changes } from './changes.js';
import type { Witness } from './checks.js';
import type { AccountSession } from './account-session.js';
import { place, type Ledger } from './ledger.js';
import type { Random } from './random.js';
import { wholeTimeline } from './timeline-reader.js';

/** Number of pairs with a leading leg, of every ten pairs. */
const LED_COUNT = 7;
const CLIENTS_COUNT = 3;
const REST_MS = 30;
/** The larger lot of the two venues in base units, plus half a digit for sums of floats. */
const LOT = 0.000_015;
/** Message of an order that could not be hedged completely. */
const UNHEDGED = /unhedged/;

/**
 * Clients of an account that trade pairs over two exchanges, with and without a leading leg, and pause and cancel some.
 */
export class Pairs implements Actor {
  readonly #session: AccountSession;
  readonly #changes: Changes;
  readonly accountChecks: AccountChecks;
  readonly #checked = new Set<number>();
  /** Number of pairs that ended unhedged and reported it. */
  unevenCount = 0;

  constructor(session: AccountSession, witness: Omit<Witness, 'account'>) {
    this.#session = session;
    this.#changes = new Changes(session);
    this.accountChecks = new AccountChecks(session, ['BINANCE', 'OKX'], witness);
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

  async work(run: ServiceRun): Promise<void> {
    const { random, report } = run;
    const { client, ledger } = this.#session;
    const act = async (): Promise<void> => {
      await pause(REST_MS);
      if (random.next() < 0.7) return void (await place(client, ledger, newPair(ledger, random)));
      await this.#changes.makeOne({ random, report });
    };
    await Promise.all(Array.from({ length: CLIENTS_COUNT }, () => untilServiceEnds(run, act)));
  }

  async settle(run: ServiceRun): Promise<void> {
    await this.accountChecks.settle(run);
    const { client, ledger } = this.#session;
    for (const { orderId } of ledger.acknowledged.values()) {
      if (this.#checked.has(orderId)) continue;
      this.#checked.add(orderId);
      const [order] = await client.byId({ orderIds: [orderId] });
      const children = (await wholeTimeline(client, orderId))
        .filter(({ event }) => event === 'ChildSubmitted')
        .map(({ child_order_id: child }) => child);
      if (new Set(children).size !== children.length)
        run.report(`pair ${orderId} placed a child twice: ${children.join(' ')}`);
      this.#checkEnd(order, run);
    }
  }

  /** Both legs have the same target and base, so they must fill equally or report the unhedged quantity. */
  #checkEnd(order: OrderDetails | undefined, { report }: ServiceRun): void {
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
