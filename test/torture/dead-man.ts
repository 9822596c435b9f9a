import { restingOrder } from '../system/sample-orders.js';
import { holds, pause, untilDeath, type Actor, type Life } from './actor.js';
import { settleAll } from './checks.js';
import type { Desk } from './desk.js';
import { wholeTimeline } from './reviews.js';

const REST_MS = 50;
const ARM_MS_MIN = 1_000;
const ARM_MS_SPREAD = 2_000;
/** How long after its time a switch may take to be carried out, on a busy machine. */
const LATE_MS_MAX = 8_000;
/** Clocks are read to the millisecond. */
const EARLY_MS_MAX = 5;

/** An arming of the switch: it may cancel from `fromMs` on, unless another was acknowledged before. */
interface Arming {
  readonly fromMs: number;
}

/** Arms the account's dead man's switch, renews it, lets it fire, and takes note of what is cancelled when. */
export class DeadMan implements Actor {
  readonly #desk: Desk;
  /** Orders that wait to be cancelled, each placed under the armings that may be its end. */
  #orders: number[] = [];
  /** The one in force; null: none is. */
  #inForce: Arming | null = null;
  /** Others that may have come into force: unanswered, or due while they were being renewed. */
  #possible: Arming[] = [];
  firedCount = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async check(life: Life): Promise<void> {
    // An unanswered arming may have been the last word: another one says what holds.
    if (this.#possible.length > 0) await this.#set(newTimeout(life));
  }

  async work(life: Life): Promise<void> {
    await untilDeath(async () => {
      await pause(REST_MS);
      const dueMs = this.#inForce?.fromMs ?? Infinity;
      if (Date.now() > dueMs) return this.#look(life);
      if (life.random.next() < 0.7 || this.#orders.length === 0) return this.#place();
      return this.#set(life.random.next() < 0.15 ? 0 : newTimeout(life));
    });
  }

  async settle(life: Life): Promise<void> {
    if (this.#orders.length > 0) {
      await this.#set(newTimeout(life));
      await pause(Math.max(0, (this.#inForce?.fromMs ?? 0) - Date.now()));
      await this.#look(life);
    }
    await settleAll(this.#desk.client);
  }

  async #place(): Promise<void> {
    const { client, ledger } = this.#desk;
    const { order_id: orderId } = await client.create(restingOrder(`dead-man-${ledger.nextClientId++}`));
    const isInTime = Date.now() < (this.#inForce?.fromMs ?? Infinity);
    // One that comes while the switch fires may be spared, or not.
    if (orderId !== undefined && isInTime) this.#orders.push(orderId);
  }

  /** Renews it, or turns it off with 0. */
  async #set(wantedMs: number): Promise<void> {
    const asked = { fromMs: wantedMs === 0 ? Infinity : Date.now() + wantedMs };
    if (this.#inForce !== null) this.#possible.push(this.#inForce);
    this.#possible.push(asked);
    const { triggerTime } = await this.#desk.client.cancelAllAfter(wantedMs);
    const answeredMs = Date.now();
    this.#possible = this.#possible.filter((one) => one !== asked && one.fromMs <= answeredMs);
    this.#inForce = { fromMs: triggerTime ?? Infinity };
  }

  /** The switch is due: every order is cancelled within a while, by nothing that came before its time. */
  async #look({ readyAtMs, report }: Life): Promise<void> {
    const dueMs = Math.max(this.#inForce?.fromMs ?? 0, readyAtMs);
    const uncancelled = async (): Promise<number> => {
      const found = this.#orders.length === 0 ? [] : await this.#desk.client.byId({ orderIds: this.#orders });
      return found.filter(({ status }) => status !== 'CANCELLED').length;
    };
    const isDone = await holds(async () => (await uncancelled()) === 0, dueMs + LATE_MS_MAX - Date.now());
    if (!isDone) return report(`${await uncancelled()} orders live though the switch was due at ${dueMs}`);
    for (const orderId of this.#orders) await this.#judge(orderId, report);
    this.firedCount += 1;
    this.#orders = [];
    this.#inForce = null;
    this.#possible = [];
  }

  async #judge(orderId: number, report: Life['report']): Promise<void> {
    const timeline = await wholeTimeline(this.#desk.client, orderId);
    const cancels = timeline.filter(({ event }) => event === 'ParentCancelRequested');
    if (cancels.length !== 1) return report(`order ${orderId} was cancelled ${cancels.length} times by the switch`);
    const atMs = cancels[0]?.time ?? 0;
    const armings = this.#inForce === null ? this.#possible : [...this.#possible, this.#inForce];
    const earliestMs = Math.min(...armings.map(({ fromMs }) => fromMs));
    if (atMs < earliestMs - EARLY_MS_MAX) report(`order ${orderId} was cancelled at ${atMs}, before ${earliestMs}`);
  }
}

function newTimeout({ random }: Life): number {
  return ARM_MS_MIN + random.below(ARM_MS_SPREAD);
}
