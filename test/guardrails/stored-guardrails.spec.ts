import { describe, expect, it } from 'vitest';
import { openIdentity, type Identity } from '../../src/journal/identity/index.js';
import { NO_GUARDRAILS, type GuardrailHolder } from '../../src/model/guardrail.js';
import type { AccountId, ApiKeyId } from '../../src/model/ids.js';
import { temporaryDataDir } from '../identity/data-dir.js';
import { usd } from './guarded-rig.js';

const DESK = 'desk' as AccountId;
const OTHER = 'other' as AccountId;
const KEY = 'a'.repeat(32) as ApiKeyId;
const ACCOUNT: GuardrailHolder = { kind: 'account', account: DESK };
const OF_KEY: GuardrailHolder = { kind: 'key', account: DESK, apiKey: KEY };
const NOT_A_KEY = 'b'.repeat(32) as ApiKeyId;

/** Two processes on one directory; both are closed at the end. */
async function withTwo(work: (operator: Identity, service: Identity) => Promise<void> | void): Promise<void> {
  const dataDir = temporaryDataDir();
  const both = [openIdentity(dataDir), openIdentity(dataDir)] as const;
  try {
    await work(...both);
  } finally {
    await Promise.all(both.map((one) => one.close()));
  }
}

const engaged = (identity: Identity, scope: Parameters<Identity['guardrails']['engage']>[0]): Promise<void> =>
  new Promise((resolve) => {
    identity.guardrails.engage(scope, { engagedAtMs: 1_800_000_000_000, by: 'OPERATOR' }, resolve);
  });

describe('guardrails that are set', () => {
  it('hold in another process from its next look on, and are gone once all are lifted', async () => {
    await withTwo((operator, service) => {
      let changes = 0;
      const { guardrailDirectory: directory } = service;
      directory.onChange(() => (changes += 1));
      expect(directory.boundsOf(DESK, KEY)).toBeNull();
      const rules = { ...NO_GUARDRAILS, maxOrderNotional: usd(250), allowedExchanges: ['OKX'] as const };
      expect(operator.guardrails.set(ACCOUNT, { maxOrderNotional: usd(250) })).toMatchObject({ maxOpenOrders: null });
      expect(operator.guardrails.set(ACCOUNT, { allowedExchanges: ['OKX'] })).toEqual(rules);
      directory.look(true);
      expect(directory.boundsOf(DESK, NOT_A_KEY)).toEqual({
        halt: null,
        bindings: [{ holder: 'account', rules }],
        isCounted: false,
        isValued: false,
      });
      expect(directory.boundsOf(OTHER, KEY)).toBeNull();
      operator.guardrails.set(ACCOUNT, { maxOrderNotional: null, allowedExchanges: null });
      directory.look(true);
      expect(directory.boundsOf(DESK, KEY)).toBeNull();
      expect(changes).toBe(2);
      expect(operator.guardrails.rows()).toEqual([]);
    });
  });

  it('for a key hold its orders alone, and have the open orders of its whole account counted', async () => {
    await withTwo((operator, service) => {
      operator.guardrails.set(OF_KEY, { maxGrossExposure: usd(1_000) });
      const { guardrailDirectory: directory } = service;
      directory.look(true);
      expect(directory.boundsOf(DESK, KEY)).toMatchObject({ bindings: [{ holder: 'key' }], isValued: true });
      expect(directory.boundsOf(DESK, NOT_A_KEY)).toEqual({
        halt: null,
        bindings: [],
        isCounted: true,
        isValued: true,
      });
    });
  });

  it('are there after a restart', async () => {
    const dataDir = temporaryDataDir();
    const before = openIdentity(dataDir);
    before.guardrails.set(ACCOUNT, { maxGrossExposure: usd(7), priceCollarBps: 50, selfCross: 'REFUSE' });
    await engaged(before, { kind: 'account', account: OTHER });
    await before.close();
    const after = openIdentity(dataDir);
    const [binding] = after.guardrailDirectory.boundsOf(DESK, KEY)?.bindings ?? [];
    expect(binding?.rules).toEqual({
      ...NO_GUARDRAILS,
      maxGrossExposure: usd(7),
      priceCollarBps: 50,
      selfCross: 'REFUSE',
    });
    expect(after.guardrailDirectory.haltedAccounts).toEqual([OTHER]);
    await after.close();
  });
});

describe('a kill switch', () => {
  it('halts its account until it is released, and keeps who engaged it first', async () => {
    await withTwo(async (operator, service) => {
      const scope = { kind: 'account', account: DESK } as const;
      await new Promise<void>((resolve) => {
        service.guardrails.engage(scope, { engagedAtMs: 5, by: 'API_KEY' }, resolve);
      });
      await engaged(operator, scope);
      const { guardrailDirectory: directory } = service;
      directory.look(true);
      const halt = { scope: 'account', engagedAtMs: 5, by: 'API_KEY' };
      expect(directory.boundsOf(DESK, KEY)).toMatchObject({ halt, bindings: [] });
      expect(directory.haltOf(OTHER)).toBeNull();
      expect(operator.guardrails.rows()).toEqual([{ kind: 'halt', scope, halt }]);
      expect(operator.guardrails.release(scope)).toBe(true);
      expect(operator.guardrails.release(scope)).toBe(false);
      directory.look(true);
      expect(directory.boundsOf(DESK, KEY)).toBeNull();
    });
  });

  it('of the whole service halts every account', async () => {
    await withTwo(async (operator, service) => {
      await engaged(operator, { kind: 'service' });
      const { guardrailDirectory: directory } = service;
      directory.look(true);
      expect(directory.isServiceHalted).toBe(true);
      expect(directory.boundsOf(OTHER, NOT_A_KEY)?.halt).toMatchObject({ scope: 'service', by: 'OPERATOR' });
    });
  });
});
