import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTurnJournal, recoverJournal } from '../src/journal/index.js';
import type { TurnJournal } from '../src/journal/port.js';
import type { Amount } from '../src/model/amount.js';
import type { CorrelationId } from '../src/model/ids.js';
import type { EpochMs } from '../src/model/time.js';
import type { FundsReport } from '../src/model/venue-message.js';
import { foldEnvelope } from '../src/order/evolve.js';
import { createMemory } from '../src/service-memory.js';
import { RingInbox, RingMainOutbox, RingVenueOutbox, SlateMarketView } from '../src/shard/ring-ports.js';
import { Shard } from '../src/shard/shard.js';
import { encodeCommand, encodeVenueReport } from '../src/wire/codec/index.js';
import { BellRinger } from '../src/wire/doorbell.js';
import { RingConsumer, RingProducer } from '../src/wire/ring.js';
import { MemoryJournal } from '../test/shard/memory-journal.js';
import type { MicroCase, MicroGroup } from './micro-case.js';
import { ACCOUNT, CATALOGUE, NOW_MS, parentOrder } from './micro-sample.js';

const SHARD = 0;
const START_AHEAD_MS = 600_000;
const BATCHES = [1, 64] as const;
const PLENTY = 10n ** 30n;
const QUIET = { info: () => undefined, warn: () => undefined };

/** Whole turns of a shard over real rings, with a journal in memory and with the real one, which syncs. */
export async function shardCases(): Promise<MicroGroup> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-turn-'));
  const recovered = recoverJournal({ dataDir, fold: foldEnvelope, log: QUIET });
  const journal = openTurnJournal({ dataDir, shared: recovered.shared });
  const cases = BATCHES.flatMap((creates) => [
    turnOf(`turn of ${creates} creates, memory`, creates, new MemoryJournal()),
    turnOf(`turn of ${creates} creates, journal`, creates, journal),
  ]);
  const close = async (): Promise<void> => {
    journal.close();
    await recovered.close();
    rmSync(dataDir, { recursive: true });
  };
  return { cases, close };
}

/** Orders get ids that no other case of the process gives. */
let lastOrderId = 0;

function turnOf(name: string, creates: number, journal: TurnJournal): MicroCase {
  const memory = createMemory(SHARD + 1, CATALOGUE);
  const [rings] = memory.shards;
  if (rings === undefined) throw new Error('a service has one shard at least');
  const shard = new Shard({
    shard: SHARD,
    shardCount: 1,
    clock: { nowMs: () => NOW_MS },
    catalogue: CATALOGUE,
    journal,
    inbox: new RingInbox(rings, () => undefined),
    main: new RingMainOutbox(rings, new BellRinger(memory.mainBell)),
    venue: new RingVenueOutbox(rings, new BellRinger(memory.venueBell)),
    market: new SlateMarketView(memory, SHARD, new BellRinger(memory.venueBell)),
  });
  const commands = new RingProducer(rings.commands);
  const events = new RingConsumer(rings.events);
  const requests = new RingConsumer(rings.requests);
  const startAtMs = (NOW_MS + START_AHEAD_MS) as EpochMs;
  const run = (): void => {
    for (let count = 0; count < creates; count += 1) {
      lastOrderId += 1;
      const order = { ...parentOrder(lastOrderId, startAtMs), clientOrderId: null };
      commands.tryWrite(encodeCommand({ kind: 'CreateParent', correlationId: 1 as CorrelationId, order }));
    }
    shard.turn();
    events.drain(Infinity, () => undefined);
    requests.drain(Infinity, () => undefined);
  };
  // The first order asks for the account's funds; from their arrival on each is accepted in the turn that creates it.
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
