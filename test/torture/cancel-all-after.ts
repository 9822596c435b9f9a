import { SluiceError } from '../../src/client/index.js';
import { CLOCK_SLEW_AHEAD_PPM } from '../../src/domain/limits/process.js';
import { eventually } from '../system/eventually.js';
import { restingOrder } from '../system/sample-orders.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { settleAll } from './checks.js';
import type { AccountSession } from './account-session.js';
import { wholeTimeline } from './timeline-reader.js';

const REST_MS = 50;
const ARM_MS_MIN = 1_000;
const ARM_MS_SPREAD = 2_000;
/** Clocks have a resolution of 1 ms. */
const EARLY_MS_MAX = 5;
/** Slowest pace of service time, while it is ahead of the wall clock. */
const SLOWEST_PACE = 1 - CLOCK_SLEW_AHEAD_PPM / 1_000_000;

/** An arming of the timer, in service time. It may cancel from `fromMs` and must cancel by `dueMs`. */
interface Arming {
  readonly fromMs: number;
  readonly dueMs: number;
}

/** Arms the account's cancel-all-after timer, renews it or lets it fire, and checks the times of the cancels. */
export class CancelAllAfterTrader implements Actor {
  readonly #session: AccountSession;
  /** Orders that wait for their cancel, each placed under the armings that may cancel it. */
  #orders: number[] = [];
  /** The arming in force; null: none. */
  #inForce: Arming | null = null;
  /** Other armings that may be in force: unanswered, or due during a renewal. */
  #possible: Arming[] = [];
  firedCount = 0;

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /** The operator drops the timers of a backup. */
  restored(): void {
    this.#orders = [];
    this.#inForce = null;
    this.#possible = [];
  }

  async check(run: ServiceRun): Promise<void> {
    // After an unanswered arming, a new one defines the state.
    if (this.#possible.length > 0) await this.#set(newTimeout(run), run);
  }

  async work(run: ServiceRun): Promise<void> {
    await untilServiceEnds(run, async () => {
      await pause(REST_MS);
      const dueMs = this.#inForce?.dueMs ?? Infinity;
      if ((await this.#nowMs()) > dueMs) return this.#look(run);
      if (run.random.next() < 0.7 || this.#orders.length === 0) return this.#place();
      return this.#set(run.random.next() < 0.15 ? 0 : newTimeout(run), run);
    });
  }

  async settle(run: ServiceRun): Promise<void> {
    if (this.#orders.length > 0) {
      await this.#set(newTimeout(run), run);
      const dueMs = this.#inForce?.dueMs ?? 0;
      await eventually(
        () => this.#nowMs(),
        (nowMs) => nowMs > dueMs,
      );
      await this.#look(run);
    }
    await settleAll(this.#session.client);
  }

  /** Service time, which events also use. */
  async #nowMs(): Promise<number> {
    return (await this.#session.client.ping()).service_time;
  }

  /** Lowest pace of service time to real time until a timer fires. Timers follow real time. */
  async #paceMin(isStepped: boolean): Promise<number> {
    const { pace } = (await this.#session.client.health()).clock;
    return isStepped || pace < 1 ? SLOWEST_PACE : 1;
  }

  async #place(): Promise<void> {
    const { client, ledger } = this.#session;
    const { order_id: orderId } = await client.create(restingOrder(`cancel-after-${ledger.nextClientId++}`));
    const isInTime = (await this.#nowMs()) < (this.#inForce?.fromMs ?? Infinity);
    // An order placed while the timer fires may be cancelled or not.
    if (orderId !== undefined && isInTime) this.#orders.push(orderId);
  }

  /** Renews the timer, or turns it off with 0. The answer has its time by the wall clock. */
  async #set(wantedMs: number, { nowMs: wallMs, isStepped, report }: ServiceRun): Promise<void> {
    const fromMs = wantedMs === 0 ? Infinity : (await this.#nowMs()) + wantedMs * (await this.#paceMin(isStepped));
    const asked = { fromMs, dueMs: Infinity };
    if (this.#inForce !== null) this.#possible.push(this.#inForce);
    this.#possible.push(asked);
    const beforeMs = wallMs();
    const { triggerTime } = await this.#session.client.cancelAllAfter(wantedMs);
    const afterMs = wallMs();
    const answeredMs = await this.#nowMs();
    this.#possible = this.#possible.filter((one) => one !== asked && one.fromMs <= answeredMs);
    this.#inForce = { fromMs, dueMs: wantedMs === 0 ? Infinity : answeredMs + wantedMs };
    const saidMs = triggerTime === null ? 0 : triggerTime - wantedMs;
    const isRight =
      wantedMs === 0 ? triggerTime === null : saidMs >= beforeMs - EARLY_MS_MAX && saidMs <= afterMs + EARLY_MS_MAX;
    if (!isRight && !isStepped) {
      report(`a timer of ${wantedMs} ms set from ${beforeMs} to ${afterMs} has the trigger time ${triggerTime}`);
    }
  }

  /** The timer is due: expects the cancel of every order within a bounded time, and not before the earliest arming. */
  async #look({ report }: ServiceRun): Promise<void> {
    const dueMs = this.#inForce?.dueMs ?? 0;
    const uncancelled = async (): Promise<number> => {
      const found = this.#orders.length === 0 ? [] : await this.#session.client.byId({ orderIds: this.#orders });
      return found.filter(({ status }) => status !== 'CANCELLED').length;
    };
    try {
      await eventually(uncancelled, (count) => count === 0);
    } catch (error) {
      if (error instanceof SluiceError) throw error;
      return report(`orders are open although the timer was due at ${dueMs}: ${String(error)}`);
    }
    for (const orderId of this.#orders) await this.#checkCancel(orderId, report);
    this.firedCount += 1;
    this.#orders = [];
    this.#inForce = null;
    this.#possible = [];
  }

  async #checkCancel(orderId: number, report: ServiceRun['report']): Promise<void> {
    const timeline = await wholeTimeline(this.#session.client, orderId);
    const cancels = timeline.filter(({ event }) => event === 'ParentCancelRequested');
    if (cancels.length !== 1) return report(`order ${orderId} was cancelled ${cancels.length} times by the timer`);
    const atMs = cancels[0]?.time ?? 0;
    const armings = this.#inForce === null ? this.#possible : [...this.#possible, this.#inForce];
    const earliestMs = Math.min(...armings.map(({ fromMs }) => fromMs));
    if (atMs < earliestMs - EARLY_MS_MAX) report(`order ${orderId} was cancelled at ${atMs}, before ${earliestMs}`);
  }
}

function newTimeout({ random }: ServiceRun): number {
  return ARM_MS_MIN + random.below(ARM_MS_SPREAD);
}
