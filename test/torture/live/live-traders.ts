import type { OrderSummary, SluiceClient } from '../../../src/client/index.js';
import type { AccountSession } from '../account-session.js';
import { pause, untilServiceEnds, type ServiceRun } from '../actor.js';
import { Changes } from '../changes.js';
import type { AnyRequest } from '../ledger.js';
import type { AskedQuantities } from './judge.js';
import { drawOrder, drawPair, pairMarkets } from './requests.js';
import { marketName } from './service-view.js';
import type { TradedMarket } from './traded-exchange.js';

const CLIENTS_COUNT = 3;
const REST_MS = 120;

interface TraderOptions {
  readonly exchange: string;
  readonly markets: readonly TradedMarket[];
  /** Mean pause of each client between two requests. */
  readonly restMs?: number;
}

const PAIR_SHARE = 0.2;
const PLACE_SHARE = 0.55;
/** Orders that are cancelled soon after they were placed, while their children are on their way. */
const HASTY_SHARE = 0.15;
const HASTY_MS_MAX = 400;

/** Clients of one account that place orders of all strategies, amend, pause, resume and cancel them. */
export class LiveTraders {
  readonly session: AccountSession;
  readonly #options: Required<TraderOptions>;
  readonly #changes: Changes;
  #isResting = false;
  /** Creates that were refused without an order, by error code. */
  readonly refusals = new Map<string, number>();

  constructor(session: AccountSession, options: TraderOptions) {
    this.session = session;
    this.#options = { restMs: REST_MS, ...options };
    this.#changes = new Changes(session);
  }

  get orderIds(): readonly number[] {
    return [...this.session.ledger.acknowledged.values()].map(({ orderId }) => orderId);
  }

  /** Works until the service ends. */
  async work(run: ServiceRun): Promise<void> {
    const { client, sessionClient } = this.session;
    const clients = Array.from({ length: CLIENTS_COUNT }, (_, index) => (index % 2 === 0 ? client : sessionClient));
    await Promise.all(clients.map((by) => untilServiceEnds(run, () => this.#act(run, by))));
  }

  /** Places and changes nothing from now on. */
  rest(): void {
    this.#isResting = true;
  }

  /** Repeats unanswered creates: each one is placed once at most. */
  async resolveUnanswered(run: ServiceRun): Promise<void> {
    const { client, ledger } = this.session;
    for (const [name, request] of ledger.unanswered) {
      const [before] = await client.byId({ clientOrderIds: [name] });
      await this.#place(client, request);
      const after = await client.byId({ clientOrderIds: [name] });
      if (after.length > 1 || (before !== undefined && before.order_id !== after[0]?.order_id)) {
        run.report(`${name} was placed a second time`);
      }
    }
  }

  /** What the clients ever asked for, by parent and market. */
  asked(): AskedQuantities {
    const { acknowledged, amended } = this.session.ledger;
    return new Map(
      [...acknowledged.values()].map(({ orderId, request }) => {
        const amounts = amended.get(orderId) ?? [];
        const legs = 'legs' in request ? request.legs : [{ ...request, target_value: request.quantity }];
        const quantities = legs.map(({ asset_category: category, symbol, target_value: first }) => {
          const most = [first, ...amounts].toSorted((one, other) => Number(other) - Number(one))[0]!;
          return [marketName(category, symbol), most] as const;
        });
        return [String(orderId), new Map(quantities)] as const;
      }),
    );
  }

  async #act(run: ServiceRun, by: SluiceClient): Promise<void> {
    const { random, report } = run;
    const { restMs } = this.#options;
    await pause(restMs / 2 + random.below(restMs));
    if (this.#isResting) await by.riskLimits();
    else if (random.next() < PLACE_SHARE) await this.#placeOne(run, by);
    // Without an order to change, another request finds out that the service has ended.
    else if (!(await this.#changes.makeOne({ random, report }, by))) await by.riskLimits();
  }

  async #placeOne(run: ServiceRun, by: SluiceClient): Promise<void> {
    const request = this.#draw(run);
    await this.#place(by, request);
    const placed = this.session.ledger.acknowledged.get(request.client_order_id!);
    if (placed === undefined || run.random.next() >= HASTY_SHARE) return;
    await pause(run.random.below(HASTY_MS_MAX));
    await by.cancel({ order_id: placed.orderId });
  }

  #draw({ random }: ServiceRun): AnyRequest {
    const { ledger, account } = this.session;
    const { exchange, markets } = this.#options;
    const name = { exchange, clientOrderId: `${account}-${ledger.nextClientId++}` };
    const pair = pairMarkets(markets);
    if (pair !== null && random.next() < PAIR_SHARE) return drawPair(name, pair, random);
    return drawOrder(name, random.pick(markets), random);
  }

  async #place(by: SluiceClient, request: AnyRequest): Promise<void> {
    const { ledger } = this.session;
    const id = request.client_order_id!;
    ledger.unanswered.set(id, request);
    const summary: OrderSummary = await ('legs' in request ? by.createMultiLegs(request) : by.create(request));
    ledger.unanswered.delete(id);
    const { order_id: orderId, error_code: code = 'none', message } = summary;
    if (orderId === undefined) {
      // The rules of a request are the same in every weather: a request of this program meets them.
      if (code.startsWith('INVALID')) throw new Error(`${JSON.stringify(request)} is refused: ${code} ${message}`);
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
      return;
    }
    ledger.acknowledged.set(id, { orderId, request });
  }
}
