import { describe, expect, it } from 'vitest';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import type { RestoreSummary } from '../../src/cli/operator/restored-data.js';
import { FakeMaintenance, sluice } from './command-line.js';

const ENV = { SLUICE_DATA_DIR: '/data' };

const SUMMARY: RestoreSummary = {
  backupAtMs: Date.UTC(2026, 0, 2),
  ageMs: 3_600_000,
  keys: [
    {
      apiKey: 'k1' as ApiKeyId,
      account: 'desk' as AccountId,
      permissions: ['read', 'trade'],
      kind: 'HMAC',
      createdAtMs: Date.UTC(2026, 0, 1),
      revokedAtMs: null,
      suspendedAtMs: null,
      expiresAtMs: null,
      allowedNetworks: [],
      needsSignV2: false,
      weakness: null,
    },
  ],
  riskLimits: [],
  killSwitches: [{ account: 'desk', engagedAtMs: Date.UTC(2026, 0, 1) }],
  timers: [{ account: 'desk', triggerAtMs: Date.UTC(2026, 0, 1) }],
  sessions: [{ account: 'desk', count: 3 }],
  openOrders: [{ account: 'desk', count: 17 }],
};

function filled(): FakeMaintenance {
  const maintenance = new FakeMaintenance();
  maintenance.restored = SUMMARY;
  return maintenance;
}

const undecided = (): Promise<string> => Promise.resolve('perhaps');

describe('sluice restore', () => {
  it('lists the backup and takes the safe choices without a terminal', async () => {
    const maintenance = filled();
    const { status, out, error } = await sluice(['restore', '/b'], ENV, { maintenance });
    expect(status).toBe(0);
    expect(out).toContain('from 2026-01-02T00:00:00.000Z, 60 minutes ago');
    expect(out).toContain('k1 desk read,trade created 2026-01-01');
    expect(out).toContain('Open orders: 17');
    expect(out).toContain('Sessions with cancel_on_disconnect: 3\n  desk: 3');
    expect(error).toContain('All API keys are suspended');
    const choices = { keys: 'suspend', killSwitches: 'keep', timers: 'drop' };
    expect(maintenance.calls.at(-1)).toEqual(['finishRestore', '/b', '/data', choices]);
  });

  it('takes the choices of its flags and prints JSON', async () => {
    const maintenance = filled();
    const flags = ['--keys', 'revoke-all', '--kill-switches', 'engage-all', '--timers', 'keep', '--json'];
    const { out } = await sluice(['restore', '/b', ...flags], ENV, { maintenance });
    const choices = { keys: 'revoke-all', killSwitches: 'engage-all', timers: 'keep' };
    expect(JSON.parse(out)).toMatchObject({
      age_ms: 3_600_000,
      sessions: [{ account: 'desk', count: 3 }],
      open_orders: [{ account: 'desk', count: 17 }],
      choices,
    });
    expect(maintenance.calls.at(-1)?.[3]).toEqual(choices);
  });

  it('asks at a terminal for each choice without a flag; an empty answer is the safe choice', async () => {
    const maintenance = filled();
    const asked: string[] = [];
    const prompt = (question: string): Promise<string> => {
      asked.push(question);
      return Promise.resolve(question.startsWith('API keys') ? 'keep' : '');
    };
    await sluice(['restore', '/b', '--timers', 'keep'], ENV, { maintenance, prompt });
    expect(asked).toHaveLength(2);
    expect(maintenance.calls.at(-1)?.[3]).toEqual({ keys: 'keep', killSwitches: 'keep', timers: 'keep' });
  });

  it('leaves the directory unfinished after a wrong answer', async () => {
    const maintenance = filled();
    const { status, error } = await sluice(['restore', '/b'], ENV, { maintenance, prompt: undecided });
    expect([status, error]).toEqual([2, expect.stringContaining('perhaps is not one of suspend, keep, revoke-all')]);
    expect(maintenance.calls.map(([name]) => name)).toEqual(['restore']);
  });
});
