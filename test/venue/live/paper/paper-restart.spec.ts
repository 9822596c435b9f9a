import { describe, expect, it } from 'vitest';
import type { ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import type { Side } from '../../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import { Random } from '../../../../src/sim/prng.js';
import { OrderSession } from '../../../../src/venue/live/order-session.js';
import { RULES } from '../lossy-exchange.js';
import { ShardModel } from '../shard-model.js';
import { ALICE, PaperRig, PRICE, SPOT, UNIT } from './paper-rig.js';
import { runs } from '../../../runs.js';

/** A shard, a session and a paper exchange on one clock. Killing the process takes the session and all that is on its way. */
class Process {
  readonly rig = new PaperRig();
  readonly shard = new ShardModel((request) => this.#session.handle(request, this.rig.now));
  readonly contradictions: string[] = [];
  readonly #random: Random;
  #session: OrderSession;
  #placed = 0;

  constructor(seed: number) {
    this.#random = new Random(`paper-restart-${seed}`);
    this.#session = this.#start();
  }

  chance(): number {
    return this.#random.uniform();
  }

  kill(): void {
    this.shard.setLink(false, this.rig.nowMs);
    this.rig.restart();
    this.#session = this.#start();
  }

  move(): void {
    const price = PRICE + Math.floor(this.chance() * 6);
    this.rig.touch(price, 500 + Math.floor(this.chance() * 3_000), price + 1, 500 + Math.floor(this.chance() * 3_000));
  }

  trade(): void {
    const takerSide: Side = this.chance() < 0.5 ? 'BUY' : 'SELL';
    this.rig.trade(takerSide, PRICE + Math.floor(this.chance() * 8), 100 + Math.floor(this.chance() * 4_000));
  }

  place(): void {
    this.#placed += 1;
    const order: ChildSubmission = {
      account: ALICE,
      venue: 'BINANCE',
      orderId: this.#placed as OrderId,
      child: 1 as ChildNumber,
      instrument: SPOT.index,
      side: this.chance() < 0.5 ? 'BUY' : 'SELL',
      quantity: (UNIT + Math.floor(this.chance() * 3_000)) as Lots,
      type: 'LIMIT',
      timeInForce: this.chance() < 0.8 ? 'GTC' : 'IOC',
      limitPrice: (PRICE + Math.floor(this.chance() * 7)) as Ticks,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'EXPIRE_TAKER',
    };
    this.shard.submit(order, this.rig.nowMs);
  }

  pass(ms: number): void {
    const endMs = this.rig.nowMs + ms;
    while (this.rig.nowMs < endMs) {
      const { nowMs } = this.rig;
      const nextMs = Math.min(
        this.#session.nextWakeMs(),
        this.shard.nextWakeMs(),
        this.rig.venue.nextWakeMs(this.rig.now),
      );
      this.rig.pass(Math.min(endMs, Math.max(nowMs + 1, nextMs)) - nowMs);
      this.#session.advance(this.rig.now);
      this.shard.advance(this.rig.nowMs);
    }
  }

  #start(): OrderSession {
    const { rig, shard } = this;
    const { venue } = rig;
    const isCurrent = (): boolean => session === this.#session || this.#session === undefined;
    const session: OrderSession = new OrderSession({
      account: ALICE,
      venue: 'BINANCE',
      line: {
        place: (order, expiresAtMs, answer) => venue.place(order, expiresAtMs, answer, rig.now),
        cancel: (target, answer) => venue.cancel(target, answer, rig.now),
        lookUp: (target, _isFinal, answer) => venue.lookUp(target, answer, rig.now),
        openOrders: (answer) => venue.openOrders(ALICE, answer, rig.now),
      },
      rules: RULES,
      startedAtMs: rig.now,
      report: (report) => isCurrent() && shard.take(report, rig.nowMs),
      onLink: (isUp) => isCurrent() && shard.setLink(isUp, rig.nowMs),
      onContradiction: (what) => isCurrent() && this.contradictions.push(what),
    });
    venue.subscribe(ALICE, {
      onOrder: (update, nowMs: EpochMs) => session.onUpdate(update, nowMs),
      onBalances: () => undefined,
      onPositions: () => undefined,
    });
    session.onSubscribed();
    return session;
  }
}

function run(seed: number, killChance: number): Process {
  const process = new Process(seed);
  process.move();
  process.pass(50);
  for (let step = 0; step < 150; step += 1) {
    const draw = process.chance();
    if (draw < 0.3) process.place();
    else if (draw < 0.55) process.trade();
    else if (draw < 0.75) process.move();
    else if (draw < 0.85) process.shard.cancelSome(process.chance(), process.rig.nowMs);
    if (process.chance() < killChance) process.kill();
    process.pass(Math.floor(process.chance() * 8));
  }
  // An order that was never placed is absent 65 s after its sending.
  process.pass(90_000);
  process.shard.asksResting = false;
  process.pass(5_000);
  return process;
}

describe('the paper exchange after kills of its process', () => {
  it.each([
    ['without a kill', 0],
    ['with kills again and again', 0.08],
  ])('agrees with its shard on each order and each fill %s', (_what, killChance) => {
    let [filled, absent] = [0, 0];
    for (let seed = 0; seed < runs(15, 60); seed += 1) {
      const { rig, shard, contradictions } = run(seed, killChance);
      expect(contradictions).toEqual([]);
      for (const [name, child] of shard.children) {
        const found = rig.lookUp(child.submission);
        const state = found.kind === 'found' ? found.order.state : child.state === 'REFUSED' ? 'REFUSED' : 'ABSENT';
        expect([name, child.state, child.filled]).toEqual([
          name,
          state,
          found.kind === 'found' ? found.order.filled : 0,
        ]);
        if (found.kind === 'found') {
          const trades = found.fills.map(({ fill }): [number, number] => [fill.tradeId, fill.quantity]);
          expect(new Map(trades)).toEqual(child.trades);
        } else absent += 1;
        filled += child.filled;
      }
    }
    expect(filled).toBeGreaterThan(0);
    if (killChance > 0) expect(absent).toBeGreaterThan(0);
  });
});
