import type { OrderCost, SluiceClient, TimelineEntry } from '../../src/client/index.js';
import { pause, untilDeath, type Actor, type Life } from './actor.js';
import type { Desk } from './desk.js';
import { randomOrder } from './ledger.js';

const ENTRIES_PER_PAGE = 1000;
const KEPT_COUNT = 30;
const REST_MS = 60;

interface Review {
  readonly desk: Desk;
  readonly orderId: number;
  readonly timeline: readonly TimelineEntry[];
  readonly cost: OrderCost;
}

/** Reads what became of random orders, and why, and what it cost; reads it again after restarts. */
export class Reviews implements Actor {
  readonly #desks: readonly Desk[];
  #kept: Review[] = [];
  comparedCount = 0;

  constructor(desks: readonly Desk[]) {
    this.#desks = desks;
  }

  restored(): void {
    this.#kept = [];
  }

  async check({ report }: Life): Promise<void> {
    for (const before of this.#kept) {
      const { desk, orderId, timeline } = before;
      const later = await wholeTimeline(desk.client, orderId);
      const differing = timeline.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(later[index]));
      if (differing >= 0) {
        const [then, now] = [timeline[differing], later[differing]].map((entry) => JSON.stringify(entry));
        report(`the timeline of order ${orderId} differs at ${differing}: ${then} → ${now}`);
      }
      const after = await review(desk, orderId);
      if (after?.timeline.length === timeline.length) {
        const [then, now] = [before, after].map(({ cost }) => figuresOf(cost, before.cost.is_final));
        if (then !== now) report(`the cost of order ${orderId} differs: ${then} → ${now}`);
      }
      this.comparedCount += 1;
    }
    this.#kept = this.#kept.slice(-KEPT_COUNT / 2);
  }

  async work(life: Life): Promise<void> {
    const { random } = life;
    await untilDeath(life, async () => {
      await pause(REST_MS);
      const desk = random.pick(this.#desks);
      const order = randomOrder(desk.ledger, random);
      // Without an order a look at the account shows that the service lives.
      if (order === undefined) return void (await desk.client.guardrails());
      const found = await review(desk, order.orderId);
      if (found !== null) this.#kept.push(found);
      if (this.#kept.length > KEPT_COUNT) this.#kept.shift();
    });
  }

  async settle(life: Life): Promise<void> {
    await this.check(life);
  }
}

/** Everything that has happened to an order. */
export async function wholeTimeline(client: SluiceClient, orderId: number): Promise<readonly TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await client.timeline({ orderId, after, limit: ENTRIES_PER_PAGE });
    entries.push(...page.events);
    after = page.next_after;
  }
  return entries;
}

/** null: something happened to the order between the looks, so they do not belong together. */
async function review(desk: Desk, orderId: number): Promise<Review | null> {
  const timeline = await wholeTimeline(desk.client, orderId);
  const cost = await desk.client.orderCost({ orderId });
  const again = await wholeTimeline(desk.client, orderId);
  return again.length === timeline.length ? { desk, orderId, timeline, cost } : null;
}

/** Of a final cost everything but the time of the look; before that, what the order's own events say. */
function figuresOf({ legs }: OrderCost, isFinal: boolean): string {
  if (isFinal) return JSON.stringify(legs);
  return JSON.stringify(
    legs.map(({ cost, ...leg }) => [
      leg,
      cost?.arrival_price,
      cost?.average_price,
      cost?.maker_share,
      cost?.start_time,
    ]),
  );
}
