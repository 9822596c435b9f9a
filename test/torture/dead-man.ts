import { SluiceError } from '../../src/client/index.js';
import { CLOCK_SLEW_AHEAD_PPM } from '../../src/model/limits.js';
import { eventually } from '../system/eventually.js';
import { restingOrder } from '../system/sample-orders.js';
import { pause, untilDeath, type Actor, type Life } from './actor.js';
import { settleAll } from './checks.js';
import type { Desk } from './desk.js';
import { wholeTimeline } from './reviews.js';

const REST_MS = 50;
const ARM_MS_MIN = 1_000;
const ARM_MS_SPREAD = 2_000;
/** Clocks are read to the millisecond. */
const EARLY_MS_MAX = 5;
/** Service time runs slower while it is ahead of the wall clock. */
const SLOWEST_PACE = 1 - CLOCK_SLEW_AHEAD_PPM / 1_000_000;

/** An arming of the switch, in service time: it may cancel from `fromMs` on, and has to once `dueMs` is past. */
interface Arming {
  readonly fromMs: number;
  readonly dueMs: number;
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

  /** The operator drops the timers of a backup. */
  restored(): void {
    this.#orders = [];
    this.#inForce = null;
    this.#possible = [];
  }

  async check(life: Life): Promise<void> {
    // An unanswered arming may have been the last word: another one says what holds.
    if (this.#possible.length > 0) await this.#set(newTimeout(life), life);
  }

  async work(life: Life): Promise<void> {
    await untilDeath(life, async () => {
      await pause(REST_MS);
      const dueMs = this.#inForce?.dueMs ?? Infinity;
      if ((await this.#nowMs()) > dueMs) return this.#look(life);
      if (life.random.next() < 0.7 || this.#orders.length === 0) return this.#place();
      return this.#set(life.random.next() < 0.15 ? 0 : newTimeout(life), life);
    });
  }

  async settle(life: Life): Promise<void> {
    if (this.#orders.length > 0) {
      await this.#set(newTimeout(life), life);
      const dueMs = this.#inForce?.dueMs ?? 0;
      await eventually(
        () => this.#nowMs(),
        (nowMs) => nowMs > dueMs,
      );
      await this.#look(life);
    }
    await settleAll(this.#desk.client);
  }

  /** Service time: that of events. */
  async #nowMs(): Promise<number> {
    return (await this.#desk.client.ping()).service_time;
  }

  /** Switches follow real time: so little service time may pass in a millisecond of it until a switch fires. */
  async #paceMin(isStepped: boolean): Promise<number> {
    const { pace } = (await this.#desk.client.health()).clock;
    return isStepped || pace < 1 ? SLOWEST_PACE : 1;
  }

  async #place(): Promise<void> {
    const { client, ledger } = this.#desk;
    const { order_id: orderId } = await client.create(restingOrder(`dead-man-${ledger.nextClientId++}`));
    const isInTime = (await this.#nowMs()) < (this.#inForce?.fromMs ?? Infinity);
    // One that comes while the switch fires may be spared, or not.
    if (orderId !== undefined && isInTime) this.#orders.push(orderId);
  }

  /** Renews it, or turns it off with 0. The answer names its time by the wall clock. */
  async #set(wantedMs: number, { nowMs: wallMs, isStepped, report }: Life): Promise<void> {
    const fromMs = wantedMs === 0 ? Infinity : (await this.#nowMs()) + wantedMs * (await this.#paceMin(isStepped));
    const asked = { fromMs, dueMs: Infinity };
    if (this.#inForce !== null) this.#possible.push(this.#inForce);
    this.#possible.push(asked);
    const beforeMs = wallMs();
    const { triggerTime } = await this.#desk.client.cancelAllAfter(wantedMs);
    const afterMs = wallMs();
    const answeredMs = await this.#nowMs();
    this.#possible = this.#possible.filter((one) => one !== asked && one.fromMs <= answeredMs);
    this.#inForce = { fromMs, dueMs: wantedMs === 0 ? Infinity : answeredMs + wantedMs };
    const saidMs = triggerTime === null ? 0 : triggerTime - wantedMs;
    const isRight =
      wantedMs === 0 ? triggerTime === null : saidMs >= beforeMs - EARLY_MS_MAX && saidMs <= afterMs + EARLY_MS_MAX;
    if (!isRight && !isStepped) {
      report(`a switch of ${wantedMs} ms set from ${beforeMs} to ${afterMs} has the trigger time ${triggerTime}`);
    }
  }

  /** The switch is due: every order is cancelled within a while, by nothing that came before its time. */
  async #look({ report }: Life): Promise<void> {
    const dueMs = this.#inForce?.dueMs ?? 0;
    const uncancelled = async (): Promise<number> => {
      const found = this.#orders.length === 0 ? [] : await this.#desk.client.byId({ orderIds: this.#orders });
      return found.filter(({ status }) => status !== 'CANCELLED').length;
    };
    try {
      await eventually(uncancelled, (count) => count === 0);
    } catch (error) {
      if (error instanceof SluiceError) throw error;
      return report(`orders live though the switch was due at ${dueMs}: ${String(error)}`);
    }
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
