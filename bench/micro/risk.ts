import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIdentity } from '../../src/runtime/identity.js';
import { amountOf } from '../../src/domain/quantity.js';
import { noRiskLimitCounts, type RiskLimits } from '../../src/domain/risk-limit.js';
import type { ApiKeyId, OrderId } from '../../src/domain/ids.js';
import { AccountExposures } from '../../src/risk/account-exposures.js';
import { RiskGate } from '../../src/risk/risk-gate.js';
import { MidQuery } from '../../src/risk/order-worth.js';
import type { ParentOrderDraft } from '../../src/domain/order.js';
import { OpenOrderCounts } from '../../src/intake/open-order-counts.js';
import { ShardClient } from '../../src/intake/shard-client.js';
import { createMemory } from '../../src/runtime/shared-memory.js';
import { AccountNumbering } from '../../src/wire/account-counts.js';
import { repeated, type MicroGroup } from './case.js';
import { ACCOUNT, CATALOGUE, parentOrder } from './sample.js';

const KEY = 'bench' as ApiKeyId;
const OPEN_ORDERS_COUNT = 10_000;
const SHARD_COUNT = 2;
const EMPTY_STATE = { lastSeq: () => 0 as const, openOrderIds: () => [], order: () => null };
const ALL: Partial<RiskLimits> = {
  maxOrderNotional: amountOf(1_000_000, 0),
  maxOpenOrders: 1_000_000,
  maxGrossExposure: amountOf(1_000_000_000_000, 0),
  allowedExchanges: ['BINANCE', 'OKX'],
  allowedSymbols: ['BTC/USDT', 'ETH/USDT'],
  priceCollarBps: 500,
  selfCross: 'REFUSE',
};

/** The open orders of one account, of which the shards count none. */
function openOrderCounts(): OpenOrderCounts {
  const memory = createMemory(SHARD_COUNT, CATALOGUE);
  const numbers = new AccountNumbering(memory.accounts);
  numbers.give(ACCOUNT);
  const clients = memory.shards.map((shardMemory, shard) => new ShardClient(shard, shardMemory));
  return new OpenOrderCounts(numbers, clients);
}

/** Measures the cost of risk limits for a create: without limits, and with all set over 10,000 open orders. */
export function riskLimitCases(): MicroGroup {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-risk-limits-'));
  const identity = openIdentity(dataDir);
  let lastOrderId = 0;
  const mids = new MidQuery((_instrument, answer) => answer(12_800_100));
  const exposures = new AccountExposures({
    followed: { add: () => undefined, remove: () => undefined },
    catalogue: CATALOGUE,
    mids,
    whenComplete: (read) => read(EMPTY_STATE),
    soon: (run) => run(),
    pendingOrders: () => [],
    positions: (_account, _venue, answer) => answer({ positions: [] }),
    nowRealMs: () => 0,
  });
  const gate = new RiskGate({
    commands: {
      create: (draft) => {
        lastOrderId += 1;
        draft.orderId = lastOrderId as OrderId;
      },
      change: () => undefined,
    },
    boundsOf: (account, apiKey) => identity.riskLimitDirectory.boundsOf(account, apiKey),
    exposures,
    mids,
    catalogue: CATALOGUE,
    storedState: () => null,
    counts: noRiskLimitCounts(),
    openOrders: openOrderCounts(),
    // The count is read for each create, and never refuses one.
    openOrdersMax: Number.MAX_SAFE_INTEGER,
  });
  const create = (): void => {
    const draft: ParentOrderDraft = parentOrder(0);
    gate.create(draft, () => undefined, KEY);
  };
  const fill = (): void => {
    identity.riskLimits.set({ kind: 'account', account: ACCOUNT }, ALL);
    identity.riskLimitDirectory.refresh(true);
    for (let count = 0; count < OPEN_ORDERS_COUNT; count += 1) create();
  };
  const book = (): number => exposures.of(ACCOUNT, true)?.exposure.openOrderCount ?? 0;
  const checked = (): void => {
    if (book() === 0) fill();
    create();
    exposures.of(ACCOUNT, true)?.exposure.remove(lastOrderId as OrderId);
  };
  const { cases } = repeated({
    'make an order': () => parentOrder(0),
    'make an order without risk limits': create,
    'make an order with seven risk limits': checked,
  });
  return {
    cases,
    close: async () => {
      await identity.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
