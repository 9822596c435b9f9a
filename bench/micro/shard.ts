import { mkdtempSync, rmSync } from 'node:fs';
import { createIn, MemoryJournal } from '../../src/backtest/memory-ports.js';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recoverJournal } from '../../src/journal/recovery.js';
import { Projector } from '../../src/journal/projector.js';
import { Sequencer } from '../../src/journal/sequencer.js';
import { openTurnJournal } from '../../src/journal/turn/turn-journal.js';
import type { TurnJournal } from '../../src/journal/port.js';
import type { Amount } from '../../src/domain/quantity.js';
import type { CorrelationId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { FundsReport } from '../../src/domain/venue-report.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { createMemory } from '../../src/runtime/shared-memory.js';
import { RingInbox, RingMainOutbox, RingVenueOutbox, CachedMarketView } from '../../src/shard/ring-ports.js';
import { Shard } from '../../src/shard/shard.js';
import { encodeCommand } from '../../src/wire/codec/command.js';
import { encodeVenueReport } from '../../src/wire/codec/venue-report.js';
import { BellRinger } from '../../src/wire/bell.js';
import { RingConsumer, RingProducer } from '../../src/wire/ring.js';
import type { MicroCase, MicroGroup } from './case.js';
import { ACCOUNT, CATALOGUE, NOW_MS, parentOrder } from './sample.js';

const SHARD = 0;
const START_AHEAD_MS = 600_000;
const BATCHES = [1, 64] as const;
const PLENTY = 10n ** 30n;
const QUIET = { info: () => undefined, warn: () => undefined };

/** Whole turns of a shard over real rings, with a journal in memory and with the real journal, which syncs. */
export async function shardCases(): Promise<MicroGroup> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-turn-'));
  const recovered = recoverJournal({ dataDir, fold: foldEnvelope, log: QUIET });
  const [producer] = createMemory(1, CATALOGUE).shards;
  if (producer === undefined) throw new Error('a service has at least one shard');
  const { shared } = recovered;
  const sequencer = new Sequencer({ dataDir, shared, producers: [producer] });
  const projector = new Projector({ dataDir, shared, fold: foldEnvelope });
  // One thread does the work of three, so that the time of a turn contains all of it.
  const settle = (): void => {
    while (sequencer.round());
    projector.round();
  };
  const journal = openTurnJournal({ dataDir, shared, memory: producer, pause: settle });
  const cases = BATCHES.flatMap((creates) => [
    turnOf(`turn of ${creates} creates, memory`, creates, new MemoryJournal()),
    turnOf(`turn of ${creates} creates, journal`, creates, journal, settle),
  ]);
  const close = async (): Promise<void> => {
    journal.close();
    sequencer.close();
    projector.close();
    await recovered.close();
    rmSync(dataDir, { recursive: true });
  };
  return { cases, close };
}

/** Order ids are unique over all cases of the process. */
let lastOrderId = 0;

function turnOf(name: string, creates: number, journal: TurnJournal, settle: () => void = () => undefined): MicroCase {
  const memory = createMemory(SHARD + 1, CATALOGUE);
  const [rings] = memory.shards;
  if (rings === undefined) throw new Error('a service has at least one shard');
  const shard = new Shard({
    shard: SHARD,
    shardCount: 1,
    clock: { nowMs: () => NOW_MS },
    catalogue: CATALOGUE,
    journal,
    inbox: new RingInbox(rings, () => undefined),
    main: new RingMainOutbox(rings, new BellRinger(memory.mainBell)),
    venue: new RingVenueOutbox(rings, new BellRinger(memory.venueBell)),
    market: new CachedMarketView(memory, SHARD, new BellRinger(memory.venueBell)),
  });
  const commands = new RingProducer(rings.commands);
  const events = new RingConsumer(rings.events);
  const requests = new RingConsumer(rings.requests);
  const startAtMs = (NOW_MS + START_AHEAD_MS) as EpochMs;
  const run = (): void => {
    for (let count = 0; count < creates; count += 1) {
      lastOrderId += 1;
      const order = { ...parentOrder(lastOrderId, startAtMs), clientOrderId: null };
      commands.tryWrite(encodeCommand(createIn(journal, order, NOW_MS, 1 as CorrelationId)));
    }
    shard.turn();
    settle();
    shard.releaseDurable();
    events.drain(Infinity, () => undefined);
    requests.drain(Infinity, () => undefined);
  };
  // The first order requests the account's funds. After their arrival, orders are accepted in the turn that creates
  // them.
  run();
  new RingProducer(rings.reports).tryWrite(encodeVenueReport(FUNDS));
  run();
  return { name, operations: 1, run };
}

const FUNDS: FundsReport = {
  kind: 'Funds',
  correlationId: 0 as CorrelationId,
  account: ACCOUNT,
  venue: 'BINANCE',
  atMs: NOW_MS,
  isSnapshot: true,
  version: 1,
  balances: [{ asset: 'USDT', total: PLENTY as Amount, free: PLENTY as Amount }],
  causedBy: null,
};
