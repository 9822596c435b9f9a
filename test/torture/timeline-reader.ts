import type { OrderCost, SluiceClient, TimelineEntry } from '../../src/client/index.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import type { AccountSession } from './account-session.js';
import { randomOrder } from './ledger.js';

const ENTRIES_PER_PAGE = 1000;
const KEPT_COUNT = 30;
const REST_MS = 60;

interface OrderReading {
  readonly session: AccountSession;
  readonly orderId: number;
  readonly timeline: readonly TimelineEntry[];
  readonly cost: OrderCost;
}

/** Reads timelines and costs of random orders, and compares them after restarts. */
export class TimelineReader implements Actor {
  readonly #sessions: readonly AccountSession[];
  #kept: OrderReading[] = [];
  comparedCount = 0;

  constructor(sessions: readonly AccountSession[]) {
    this.#sessions = sessions;
  }

  restored(): void {
    this.#kept = [];
  }

  async check({ report }: ServiceRun): Promise<void> {
    for (const before of this.#kept) {
      const { session, orderId, timeline } = before;
      const later = await wholeTimeline(session.client, orderId);
      const differing = timeline.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(later[index]));
      if (differing >= 0) {
        const [then, now] = [timeline[differing], later[differing]].map((entry) => JSON.stringify(entry));
        report(`the timeline of order ${orderId} differs at ${differing}: ${then} → ${now}`);
      }
      const after = await review(session, orderId);
      if (after?.timeline.length === timeline.length) {
        const [then, now] = [before, after].map(({ cost }) => figuresOf(cost, before.cost.is_final));
        if (then !== now) report(`the cost of order ${orderId} differs: ${then} → ${now}`);
      }
      this.comparedCount += 1;
    }
    this.#kept = this.#kept.slice(-KEPT_COUNT / 2);
  }

  async work(run: ServiceRun): Promise<void> {
    const { random } = run;
    await untilServiceEnds(run, async () => {
      await pause(REST_MS);
      const session = random.pick(this.#sessions);
      const order = randomOrder(session.ledger, random);
      // Without an order, another request checks that the service answers.
      if (order === undefined) return void (await session.client.riskLimits());
      const found = await review(session, order.orderId);
      if (found !== null) this.#kept.push(found);
      if (this.#kept.length > KEPT_COUNT) this.#kept.shift();
    });
  }

  async settle(run: ServiceRun): Promise<void> {
    await this.check(run);
  }
}

/** Returns all events of an order. */
export async function wholeTimeline(client: SluiceClient, orderId: number): Promise<readonly TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await client.timeline({ orderId, after, limit: ENTRIES_PER_PAGE });
    entries.push(...page.events);
    after = page.next_after;
  }
  return entries;
}

/** Reads timeline and cost; null when an event came between the reads. */
async function review(session: AccountSession, orderId: number): Promise<OrderReading | null> {
  const timeline = await wholeTimeline(session.client, orderId);
  const cost = await session.client.orderCost({ orderId });
  const again = await wholeTimeline(session.client, orderId);
  return again.length === timeline.length ? { session, orderId, timeline, cost } : null;
}

/** Returns all figures of a final cost except its time. Before that, only figures from the order's own events. */
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
