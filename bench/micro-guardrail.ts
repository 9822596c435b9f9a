import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIdentity } from '../src/journal/identity/index.js';
import { amountOf } from '../src/model/amount.js';
import { noGuardrailCounts, type Guardrails } from '../src/model/guardrail.js';
import type { ApiKeyId, OrderId } from '../src/model/ids.js';
import { AccountBooks } from '../src/route/guardrail/account-books.js';
import { GuardedOrderDesk } from '../src/route/guardrail/guarded-order-desk.js';
import { MidsDesk } from '../src/route/guardrail/mids-desk.js';
import type { ParentOrderDraft } from '../src/route/order-desk.js';
import { repeated, type MicroGroup } from './micro-case.js';
import { ACCOUNT, CATALOGUE, parentOrder } from './micro-sample.js';

const KEY = 'bench' as ApiKeyId;
const OPEN_ORDERS_COUNT = 10_000;
const ALL: Partial<Guardrails> = {
  maxOrderNotional: amountOf(1_000_000, 0),
  maxOpenOrders: 1_000_000,
  maxGrossExposure: amountOf(1_000_000_000_000, 0),
  allowedExchanges: ['BINANCE', 'OKX'],
  allowedSymbols: ['BTC/USDT', 'ETH/USDT'],
  priceCollarBps: 500,
  selfCross: 'REFUSE',
};

/** What the guardrails add to a create, beside a desk that takes it for nothing: unset, and all set over 10,000 open orders. */
export function guardrailCases(): MicroGroup {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-guardrails-'));
  const identity = openIdentity(dataDir);
  let lastOrderId = 0;
  const mids = new MidsDesk((_instrument, answer) => answer(12_800_100));
  const books = new AccountBooks({
    catalogue: CATALOGUE,
    mids,
    reader: { refresh: () => true, lastSeq: () => 0, openOrderIds: () => [], order: () => null },
    soon: (run) => run(),
    pendingOrders: () => [],
    positions: (account, venue, answer) =>
      answer({ ...NO_POSITIONS, account, venue, correlationId: 0 as never, atMs: 0 as never }),
    nowRealMs: () => 0,
  });
  const desk = new GuardedOrderDesk({
    desk: {
      create: (draft) => {
        lastOrderId += 1;
        draft.orderId = lastOrderId as OrderId;
      },
      change: () => undefined,
    },
    boundsOf: (account, apiKey) => identity.guardrailDirectory.boundsOf(account, apiKey),
    books,
    mids,
    catalogue: CATALOGUE,
    storedState: () => null,
    counts: noGuardrailCounts(),
  });
  const create = (): void => {
    const draft: ParentOrderDraft = parentOrder(0);
    desk.create(draft, () => undefined, KEY);
  };
  const fill = (): void => {
    identity.guardrails.set({ kind: 'account', account: ACCOUNT }, ALL);
    identity.guardrailDirectory.look(true);
    for (let count = 0; count < OPEN_ORDERS_COUNT; count += 1) create();
  };
  const book = (): number => books.of(ACCOUNT, true)?.book.openOrderCount ?? 0;
  const checked = (): void => {
    if (book() === 0) fill();
    create();
    books.of(ACCOUNT, true)?.book.remove(lastOrderId as OrderId);
  };
  const { cases } = repeated({
    'make an order': () => parentOrder(0),
    'make an order, held to no guardrail': create,
    'make an order, held to seven guardrails': checked,
  });
  return {
    cases,
    close: async () => {
      await identity.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const NO_POSITIONS = {
  kind: 'Positions',
  isSnapshot: true,
  version: 1,
  positionMode: 'ONE_WAY',
  positions: [],
} as const;
