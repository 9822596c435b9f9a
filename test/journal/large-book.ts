import { join } from 'node:path';
import { Keeper } from '../../src/journal/keeper.js';
import { journalFolder } from '../../src/storage/data-directory.js';
import { SegmentFolder } from '../../src/journal/segments.js';
import { openStateTables, readHead } from '../../src/journal/state/state-tables.js';
import type { ShardJournal } from '../../src/journal/turn/turn-journal.js';
import type { RecoveredJournal } from '../../src/journal/open-journal.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import { IDEMPOTENCY_MS } from '../../src/domain/limits/trading.js';
import { isTerminal } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import { nodeDisk } from '../../src/storage/disk.js';
import { type DataFormat, PRESENT_FORMAT } from '../../src/storage/format/format-steps.js';
import { JournalThreads } from './journal-threads.js';
import { recover, silentLog } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const SEGMENT_BYTES = 1024 * 1024;
const ORDERS_PER_TURN = 20;
/** Turns for which a snapshot is held, as by readers and the keeper of a running service. */
const SNAPSHOT_TURNS = 7;
const RETENTION_STEP_MS = IDEMPOTENCY_MS + 1;
const ACCOUNTS = ['demo', 'other', 'third'] as const;

/** A journal with many open orders and a mixed life before them, as the threads of one process keep it. */
export class LargeBook {
  readonly orders: ScriptedOrders;
  readonly #dataDir: string;
  readonly #main: RecoveredJournal;
  readonly #threads: JournalThreads;
  readonly #shard: ShardJournal;
  readonly #keeper: Keeper;
  #turnCount = 0;
  #endSnapshot: () => void = () => undefined;

  /** Ids and times begin after those of earlier processes. */
  constructor(dataDir: string, bootId: string, run: number, format: DataFormat = PRESENT_FORMAT) {
    this.#dataDir = dataDir;
    this.orders = new ScriptedOrders(1_000 + run * 1_000_000);
    this.#main = recover(dataDir, { bootId, segmentBytes: SEGMENT_BYTES, format, disk: nodeDisk });
    if (this.#main.lastServiceMs > 0) this.orders.nowMs = this.#main.lastServiceMs;
    const { shared } = this.#main;
    this.#threads = new JournalThreads({ dataDir, shared, format });
    this.#shard = this.#threads.openShard();
    this.#keeper = new Keeper({ dataDir, shared, log: silentLog, format });
  }

  get origin(): string {
    return this.#main.report.origin;
  }

  get openCount(): number {
    const snapshot = this.#main.reader.latest();
    return ACCOUNTS.reduce((sum, account) => sum + [...snapshot.openOrders(account as AccountId)].length, 0);
  }

  /** Takes orders that earlier processes made into the script. */
  adopt(): void {
    for (const state of this.#shard.openParents(() => true)) this.orders.states.set(state.order.orderId, state);
  }

  /** Adds open orders, some with children and fills, some amended, and as many that end, half of them by a cancel. */
  trade(openCount: number): void {
    for (let done = 0; done < openCount;) {
      const count = Math.min(ORDERS_PER_TURN, openCount - done);
      for (let index = 0; index < count; index++) this.#live(done + index);
      this.#commit();
      done += count;
    }
  }

  /** Adds orders that have ended. */
  end(count: number): void {
    for (let index = 0; index < count; index++) {
      this.orders.completeOrder(ACCOUNTS[0] as AccountId, `ended-${this.orders.nowMs}-${index}`);
      if (index % ORDERS_PER_TURN === ORDERS_PER_TURN - 1) this.#commit();
    }
    this.#commit();
  }

  /** Cancels the oldest open orders that have no child at work. */
  cancel(count: number): void {
    const idle = [...this.orders.states.values()].filter(
      ({ status, legs }) => !isTerminal(status) && legs[0].childCount === 0,
    );
    for (const [index, { order }] of idle.slice(0, count).entries()) {
      this.orders.cancel(order.orderId);
      if (index % ORDERS_PER_TURN === 0) this.#commit();
    }
    this.#commit();
  }

  /** Advances time until retention removes ended orders. Makes two checkpoints meanwhile, as a running keeper does. */
  async age(): Promise<void> {
    await this.#keeper.checkpoint();
    this.orders.nowMs = (this.orders.nowMs + RETENTION_STEP_MS) as EpochMs;
    this.end(ORDERS_PER_TURN);
    await this.#keeper.checkpoint();
    await this.#keeper.retain();
  }

  async checkpoint(): Promise<void> {
    await this.#keeper.checkpoint();
  }

  get firstSegment(): number {
    return SegmentFolder.at(journalFolder(this.#dataDir)).numbers()[0] ?? 0;
  }

  async close(): Promise<void> {
    this.#endSnapshot();
    await this.#keeper.close();
    this.#shard.close();
    this.#threads.close();
    await this.#main.close();
  }

  #live(index: number): void {
    const account = ACCOUNTS[index % ACCOUNTS.length] as AccountId;
    const { orders } = this;
    const open = orders.create(account, `open-${this.orders.nowMs}-${index}`);
    orders.accept(open);
    if (index % 3 === 1) this.#work(open);
    if (index % 5 === 2) orders.amend(open);
    if (index % 2 === 0) orders.completeOrder(account, `done-${this.orders.nowMs}-${index}`);
    else orders.cancel(orders.create(account, `cancelled-${this.orders.nowMs}-${index}`));
  }

  #work(orderId: OrderId): void {
    const { orders } = this;
    orders.fill(orderId, orders.submit(orderId, 300), 100);
    orders.submit(orderId, 200);
  }

  #commit(): void {
    const { events, touched } = this.orders.take();
    this.#threads.commit(this.#shard, events, touched);
    this.#turnCount += 1;
    if (this.#turnCount % SNAPSHOT_TURNS === 1) this.#holdSnapshot();
  }

  #holdSnapshot(): void {
    this.#endSnapshot();
    const tables = openStateTables(join(this.#dataDir, 'state'));
    const transaction = tables.root.useReadTransaction();
    readHead(tables, { transaction });
    this.#endSnapshot = () => {
      transaction.done();
      void tables.root.close();
    };
  }
}
