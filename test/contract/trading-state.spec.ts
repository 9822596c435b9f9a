import { afterEach, describe, expect, it } from 'vitest';
import { HEALTH, READY } from '../../src/api/document/service.js';
import type { TradingHalt } from '../../src/domain/command.js';
import type { AccountId } from '../../src/domain/ids.js';
import type { EngagedKillSwitch } from '../../src/domain/risk-limit.js';
import type { ServiceFigures } from '../../src/http/metrics/service-figures.js';
import { FIGURES } from '../http/figures.js';
import { RunningServer } from '../http/running-server.js';
import { closed, complaintsOf } from './compiled.js';

/*
 * decisions §8: "`/status/health` (with version, mode, kill switches and halts), `/status/ready`". An engaged kill
 * switch must show in each status.
 */

const SERVICE: EngagedKillSwitch = {
  scope: 'service',
  engagedAtMs: Date.UTC(2026, 10, 21),
  by: 'OPERATOR',
  who: 'eve',
};
const HALT: TradingHalt = { reason: 'DISK_FULL', sinceMs: 5, message: 'the disk is full', exempt: [] };
const isHealth = closed(HEALTH.success.schema);
const isReady = closed(READY.success.schema);

let server: RunningServer;
afterEach(() => server.server.close());

/** Contents of health and ready of a service with these figures. Both must be as documented. */
async function statuses(
  figures: Partial<ServiceFigures> = {},
  halts: readonly TradingHalt[] = [],
): Promise<{ health: Record<string, unknown>; ready: Record<string, unknown>; status: number }> {
  server = new RunningServer();
  server.halts = halts;
  const open = { service: null, accountCount: 0 };
  await server.start({ figures: { ...FIGURES, killSwitches: () => open, ...figures } });
  const [health, ready] = [
    await server.send('GET', '/status/health', '', {}),
    await server.send('GET', '/status/ready', '', {}),
  ];
  const [shownHealth, shownReady] = [health, ready].map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  expect(complaintsOf(isHealth, shownHealth)).toBe('');
  expect(complaintsOf(isReady, shownReady)).toBe('');
  return { health: shownHealth ?? {}, ready: shownReady ?? {}, status: ready.status };
}

describe('health and ready', () => {
  it('say OPEN while nothing stops orders', async () => {
    const { health, ready, status } = await statuses();
    expect(health['trading']).toEqual({
      state: 'OPEN',
      halts: [],
      kill_switches: { service: { engaged: false }, account_count: 0 },
    });
    expect([status, ready]).toEqual([200, { status: 'ready', detail: 'fakes', trading_state: 'OPEN' }]);
  });

  it('say HALTED with the kill switch of the service: since when and by whom, and stay ready', async () => {
    const { health, ready, status } = await statuses({ killSwitches: () => ({ service: SERVICE, accountCount: 1 }) });
    const service = {
      engaged: true,
      scope: 'SERVICE',
      engaged_at: '2026-11-21T00:00:00.000Z',
      engaged_by: 'OPERATOR',
    };
    expect(health['trading']).toMatchObject({ state: 'HALTED', kill_switches: { service, account_count: 1 } });
    const detail =
      'fakes; trading is halted: the kill switch of the whole service is engaged since 2026-11-21T00:00:00.000Z; ' +
      'kill switches of single accounts are engaged: 1';
    expect(health['detail']).toBe(detail);
    expect([status, ready]).toEqual([200, { status: 'ready', detail, trading_state: 'HALTED' }]);
    // They need no key, so they name no account and no operator.
    expect(JSON.stringify([health, ready])).not.toContain('eve');
  });

  it('say PARTLY_HALTED with the halt of one account, and do not name it', async () => {
    const { health, ready } = await statuses({}, [{ ...HALT, only: 'greedy' as AccountId }]);
    const halts = [{ reason: 'DISK_FULL', since: 5, message: 'the disk is full', exempt_count: 0, halted_count: 1 }];
    expect(health['trading']).toMatchObject({ state: 'PARTLY_HALTED', halts });
    expect(ready).toMatchObject({ trading_state: 'PARTLY_HALTED' });
    expect(JSON.stringify([health, ready])).not.toContain('greedy');
  });

  it('say PARTLY_HALTED with the kill switch of an account', async () => {
    const { health, ready } = await statuses({ killSwitches: () => ({ service: null, accountCount: 2 }) });
    expect(health['trading']).toMatchObject({ state: 'PARTLY_HALTED', kill_switches: { account_count: 2 } });
    expect(ready).toMatchObject({ trading_state: 'PARTLY_HALTED', detail: expect.stringMatching(/engaged: 2$/) });
  });

  it('say HALTED during a halt, with its cause', async () => {
    const { health, ready, status } = await statuses({}, [HALT]);
    expect(health['trading']).toMatchObject({ state: 'HALTED', halts: [{ reason: 'DISK_FULL' }] });
    expect(ready).toMatchObject({ trading_state: 'HALTED', detail: 'fakes; trading is halted: the disk is full' });
    expect(status).toBe(200);
  });

  it('name the release and the mode of the exchanges', async () => {
    const exchanges = FIGURES.exchanges();
    const { health } = await statuses({ exchanges: () => exchanges });
    expect(health).toMatchObject({ version: '1.2.3', mode: 'LIVE', live_modes: { BINANCE: 'testnet' } });
    await server.server.close();
    const simulated = exchanges.map((one) => ({ ...one, mode: 'simulated' as const }));
    const { health: ofSimulation } = await statuses({ exchanges: () => simulated });
    expect(ofSimulation).toMatchObject({ mode: 'SIMULATED', live_modes: {} });
  });
});
