import { describe, expect, it } from 'vitest';
import { openIdentity, type Identity } from '../../src/runtime/identity.js';
import { NO_RISK_LIMITS, type RiskLimitHolder } from '../../src/domain/risk-limit.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import { temporaryDataDir } from '../keys/data-dir.js';
import { usd } from './risk-rig.js';

const DESK = 'desk' as AccountId;
const OTHER = 'other' as AccountId;
const KEY = 'a'.repeat(32) as ApiKeyId;
const ACCOUNT: RiskLimitHolder = { kind: 'account', account: DESK };
const OF_KEY: RiskLimitHolder = { kind: 'key', account: DESK, apiKey: KEY };
const NOT_A_KEY = 'b'.repeat(32) as ApiKeyId;

/** Two stores on one directory, as of two processes. Both are closed at the end. */
async function withTwo(work: (operator: Identity, service: Identity) => Promise<void> | void): Promise<void> {
  const dataDir = temporaryDataDir();
  const both = [openIdentity(dataDir), openIdentity(dataDir)] as const;
  try {
    await work(...both);
  } finally {
    await Promise.all(both.map((one) => one.close()));
  }
}

const engaged = (identity: Identity, scope: Parameters<Identity['riskLimits']['engage']>[0]): Promise<void> =>
  new Promise((resolve) => {
    identity.riskLimits.engage(scope, { engagedAtMs: 1_800_000_000_000, by: 'OPERATOR' }, resolve);
  });

describe('stored risk limits', () => {
  it('apply in another process from its next check, and end when all are removed', async () => {
    await withTwo((operator, service) => {
      let changes = 0;
      const { riskLimitDirectory: directory } = service;
      directory.onChange(() => (changes += 1));
      expect(directory.boundsOf(DESK, KEY)).toBeNull();
      const rules = { ...NO_RISK_LIMITS, maxOrderNotional: usd(250), allowedExchanges: ['OKX'] as const };
      expect(operator.riskLimits.set(ACCOUNT, { maxOrderNotional: usd(250) })).toMatchObject({ maxOpenOrders: null });
      expect(operator.riskLimits.set(ACCOUNT, { allowedExchanges: ['OKX'] })).toEqual(rules);
      directory.refresh(true);
      expect(directory.boundsOf(DESK, NOT_A_KEY)).toEqual({
        killSwitch: null,
        bindings: [{ holder: 'account', rules }],
        isCounted: false,
        isValued: false,
      });
      expect(directory.boundsOf(OTHER, KEY)).toBeNull();
      operator.riskLimits.set(ACCOUNT, { maxOrderNotional: null, allowedExchanges: null });
      directory.refresh(true);
      expect(directory.boundsOf(DESK, KEY)).toBeNull();
      expect(changes).toBe(2);
      expect(operator.riskLimits.rows()).toEqual([]);
    });
  });

  it('apply to the orders of their key and count the open orders of its account', async () => {
    await withTwo((operator, service) => {
      operator.riskLimits.set(OF_KEY, { maxGrossExposure: usd(1_000) });
      const { riskLimitDirectory: directory } = service;
      directory.refresh(true);
      expect(directory.boundsOf(DESK, KEY)).toMatchObject({ bindings: [{ holder: 'key' }], isValued: true });
      expect(directory.boundsOf(DESK, NOT_A_KEY)).toEqual({
        killSwitch: null,
        bindings: [],
        isCounted: true,
        isValued: true,
      });
    });
  });

  it('apply after a restart', async () => {
    const dataDir = temporaryDataDir();
    const before = openIdentity(dataDir);
    before.riskLimits.set(ACCOUNT, { maxGrossExposure: usd(7), priceCollarBps: 50, selfCross: 'REFUSE' });
    await engaged(before, { kind: 'account', account: OTHER });
    await before.close();
    const after = openIdentity(dataDir);
    const [binding] = after.riskLimitDirectory.boundsOf(DESK, KEY)?.bindings ?? [];
    expect(binding?.rules).toEqual({
      ...NO_RISK_LIMITS,
      maxGrossExposure: usd(7),
      priceCollarBps: 50,
      selfCross: 'REFUSE',
    });
    expect(after.riskLimitDirectory.stoppedAccounts).toEqual([OTHER]);
    await after.close();
  });
});

describe('a kill switch', () => {
  it('halts its account until its release, and keeps its first holder', async () => {
    await withTwo(async (operator, service) => {
      const scope = { kind: 'account', account: DESK } as const;
      await new Promise<void>((resolve) => {
        service.riskLimits.engage(scope, { engagedAtMs: 5, by: 'API_KEY' }, resolve);
      });
      await engaged(operator, scope);
      const { riskLimitDirectory: directory } = service;
      directory.refresh(true);
      const killSwitch = { scope: 'account', engagedAtMs: 5, by: 'API_KEY' };
      expect(directory.boundsOf(DESK, KEY)).toMatchObject({ killSwitch, bindings: [] });
      expect(directory.killSwitchOf(OTHER)).toBeNull();
      expect(operator.riskLimits.rows()).toEqual([{ kind: 'killSwitch', scope, engaged: killSwitch }]);
      expect(operator.riskLimits.release(scope)).toBe(true);
      expect(operator.riskLimits.release(scope)).toBe(false);
      directory.refresh(true);
      expect(directory.boundsOf(DESK, KEY)).toBeNull();
    });
  });

  it('halts every account when it is engaged for the service', async () => {
    await withTwo(async (operator, service) => {
      await engaged(operator, { kind: 'service' });
      const { riskLimitDirectory: directory } = service;
      directory.refresh(true);
      expect(directory.serviceSwitch).not.toBeNull();
      expect(directory.boundsOf(OTHER, NOT_A_KEY)?.killSwitch).toMatchObject({ scope: 'service', by: 'OPERATOR' });
    });
  });
});
