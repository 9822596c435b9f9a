import { verifyJournal } from '../../../src/journal/verification.js';
import { upgradeData } from '../../../src/journal/format/data-upgrade.js';
import { Keeper } from '../../../src/journal/keeper.js';
import { openJournalReader } from '../../../src/journal/open-journal.js';
import { SegmentFolder } from '../../../src/journal/segments.js';
import { SharedJournal } from '../../../src/journal/shared-journal.js';
import { ACCOUNT_TOPICS } from '../../../src/domain/event.js';
import type { AccountId, ClientOrderId, OrderId } from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { CHECKPOINTS_KEPT_COUNT } from '../../../src/domain/limits/process.js';
import { IDEMPOTENCY_MS } from '../../../src/domain/limits/trading.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { foldEnvelope } from '../../../src/order/evolve.js';
import { journalFolder } from '../../../src/storage/data-directory.js';
import type { DataFormat } from '../../../src/storage/format/format-steps.js';
import type { RecoveryOptions } from '../../../src/journal/recovery.js';
import { JournalWorld, silentLog, SMALL_SEGMENT_BYTES } from '../journal-world.js';
import { ScriptedOrders, START_MS } from '../scripted-orders.js';
import { unsyncedDisk } from '../unsynced-disk.js';
import { VERSION_1 } from './releases.js';

const ACCOUNTS = ['demo', 'other'] as const;
const FRAMES_MAX = 10_000;
/** Room in the last segment for more turns than one. */
const LAST_ROOM_BYTES = SMALL_SEGMENT_BYTES / 2;
const BOOT = 'boot-1';
/** Without these, the pages of all versions make the state of 60 orders 5 MB. */
const TURNS_PER_RELEASE = 4;

/** One process on a data directory, of a release with the given format. Upgrades the data first, as a service does. */
export class Release {
  readonly world: JournalWorld;
  readonly keeper: Keeper;
  readonly #format: DataFormat;

  constructor(dataDir: string, format: DataFormat, options: Partial<RecoveryOptions> = {}) {
    this.#format = format;
    upgradeData({ dataDir, log: silentLog, format, bootId: options.bootId ?? BOOT, disk: unsyncedDisk });
    this.world = new JournalWorld(dataDir, { ...options, format });
    this.keeper = new Keeper({ dataDir, shared: this.world.main.shared, log: silentLog, format, disk: unsyncedDisk });
  }

  /** Everything that a client can read, as text, in a fixed order. */
  read(orderIds: Iterable<OrderId>, clientPrefix = ''): string[] {
    const { dataDir, main } = this.world;
    const journal = openJournalReader({ dataDir, shared: main.shared, format: this.#format });
    const snapshot = journal.reader.latest();
    const known = new Set(orderIds);
    const seen: unknown[] = [];
    for (const id of orderIds) {
      const state = snapshot.order(id);
      seen.push({ id, state, events: snapshot.events(id), trades: snapshot.trades(id) });
      for (let revision = 0; revision < (state?.order.revision ?? 0); revision++) {
        seen.push(snapshot.formerTerms(id, revision));
      }
    }
    for (const name of ACCOUNTS) {
      const account = name as AccountId;
      seen.push([...snapshot.openOrders(account)].map(({ order }) => order.orderId));
      const found = snapshot.findIds(account, START_MS as EpochMs, (START_MS * 2) as EpochMs, FRAMES_MAX);
      // A state from a checkpoint has old orders that retention removes again.
      seen.push(found.filter((id) => known.has(id)));
      for (const topic of ACCOUNT_TOPICS) seen.push(snapshot.feed({ account, topic, venue: 'BINANCE' }, 0, FRAMES_MAX));
      for (const id of orderIds) {
        seen.push(snapshot.byClientOrderId(account, `${clientPrefix}${clientIdOf(id)}` as ClientOrderId));
      }
    }
    seen.push([...snapshot.quoteHistory(0 as InstrumentIndex, START_MS as EpochMs, (START_MS * 2) as EpochMs)]);
    journal.release();
    void journal.close();
    return seen.map(textOf);
  }

  /** Lets LMDB use the pages of old versions again, as a service does each second. */
  releaseVersions(): void {
    this.keeper.sync();
    this.world.main.releaseVersions();
  }

  async close(): Promise<void> {
    await this.keeper.close();
    await this.world.close();
  }
}

function clientIdOf(orderId: OrderId): string {
  return `c-${orderId}`;
}

export function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
}

/** The texts with another prefix of every client order id. */
export function renamed(texts: readonly string[], prefix: string): string[] {
  return texts.map((text) => text.replaceAll('"clientOrderId":"', `"clientOrderId":"${prefix}`));
}

interface AgedData {
  readonly orders: ScriptedOrders;
  readonly ids: readonly OrderId[];
  /** Everything that a client of their format can read. */
  readonly texts: readonly string[];
}

/** Adds open and ended orders, amended ones, pairs, balances and markets. One turn for each order. */
export function trade(release: Release, orders: ScriptedOrders, count: number): void {
  for (let index = 0; index < count; index++) {
    const account = ACCOUNTS[index % ACCOUNTS.length] as AccountId;
    const client = clientIdOf(orders.nextId);
    if (index % 5 === 0) {
      const open = orders.create(account, client);
      orders.accept(open);
      if (index % 3 === 0) orders.fill(open, orders.submit(open, 300), 100);
      if (index % 2 === 0) orders.amend(open);
    } else if (index % 7 === 0) orders.createPair(account, client);
    else if (index % 3 === 0) orders.cancel(orders.create(account, client));
    else orders.completeOrder(account, client);
    if (index % 4 === 0) orders.balance(account);
    orders.observe();
    orders.nowMs = (orders.nowMs + 1_000) as EpochMs;
    release.world.commit(orders);
    if (index % TURNS_PER_RELEASE === 0) release.releaseVersions();
  }
}

/** Makes data, by default of format 1: an ancient open order, others, checkpoints, a journal without its beginning. */
export async function makeAgedData(dataDir: string, ordersCount: number, format = VERSION_1): Promise<AgedData> {
  const release = new Release(dataDir, format);
  const orders = new ScriptedOrders();
  // Its first events are older than the journal that remains.
  const ancient = orders.create('demo' as AccountId, clientIdOf(orders.nextId));
  orders.accept(ancient);
  orders.fill(ancient, orders.submit(ancient, 300), 100);
  for (let index = 0; index < 40; index++) {
    orders.completeOrder('demo' as AccountId, `old-${index}`);
    release.world.commit(orders);
    if (index % TURNS_PER_RELEASE === 0) release.releaseVersions();
  }
  await release.keeper.checkpoint();
  orders.nowMs = (orders.nowMs + IDEMPOTENCY_MS + 1) as EpochMs;
  const old = orders.states.size;
  trade(release, orders, Math.floor(ordersCount / 2));
  await release.keeper.checkpoint();
  // Carries the ancient events. The segments are removed when all checkpoints contain what was carried.
  await release.keeper.retain();
  for (let count = 0; count < CHECKPOINTS_KEPT_COUNT; count++) {
    trade(release, orders, 1);
    await release.keeper.checkpoint();
  }
  await release.keeper.retain();
  trade(release, orders, Math.ceil(ordersCount / 2));
  const { shared } = release.world.main;
  const folder = SegmentFolder.at(journalFolder(dataDir));
  while (folder.roomAt(new SharedJournal(shared).durableEnd) < LAST_ROOM_BYTES) trade(release, orders, 1);
  const ids = [ancient, ...[...orders.states.keys()].slice(old)];
  const texts = release.read(ids);
  await release.close();
  return { orders, ids, texts };
}

/** Formats of the used segments, in order. */
export function segmentFormats(dataDir: string): number[] {
  const folder = SegmentFolder.at(journalFolder(dataDir));
  return folder.numbers().flatMap((number) => folder.header(number)?.format ?? []);
}

export async function problemsOf(dataDir: string, format: DataFormat): Promise<readonly string[]> {
  return (await verifyJournal(dataDir, foldEnvelope, { format })).problems;
}
