import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../src/domain/setting-names.js';
import { ConfigError, readConfig } from '../../src/runtime/config.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (env: Record<string, string> = {}): ReturnType<typeof readConfig> =>
  readConfig({ SLUICE_DATA_DIR: folder, ...env });

describe('limits that are configured', () => {
  it('have defaults', () => {
    expect(read()).toMatchObject({
      orderRate: 200,
      readRate: 200,
      addressRate: 5_000,
      bodyBytesMax: 1024 * 1024,
      marketDataCap: 20,
      connectionsMax: 20_000,
      accountConnectionsMax: 100,
      messageRate: 100,
      frameBytesMax: 16 * 1024,
      pingMs: 60_000,
      silenceMs: 300_000,
      listenKeyTtlS: 3_600,
    });
  });

  it.each([
    ['SLUICE_RATE_LIMIT_IP', 'addressRate', ['0', '1000000'], ['-1', '1000001', '']],
    ['SLUICE_BODY_BYTES_MAX', 'bodyBytesMax', ['1024', '16777216'], ['1023', '16777217', '1MB']],
    ['SLUICE_WS_CONNECTIONS', 'connectionsMax', ['1', '1000000'], ['0', 'many']],
    ['SLUICE_WS_ACCOUNT_CONNECTIONS', 'accountConnectionsMax', ['1', '1000000'], ['0', '1.5']],
    ['SLUICE_WS_MESSAGE_RATE', 'messageRate', ['0', '1000000'], ['-1', '1e3']],
    ['SLUICE_WS_FRAME_BYTES_MAX', 'frameBytesMax', ['1024', '16777216'], ['0', ' 2048']],
  ] as const)('%s: from the least to the most, and nothing else', (variable, field, good, bad) => {
    for (const value of good) expect(read({ [variable]: value })[field]).toBe(Number(value));
    for (const value of bad) {
      expect(() => read({ [variable]: value }), value).toThrow(ConfigError);
      expect(() => read({ [variable]: value }), value).toThrow(variable);
    }
  });
});

describe('the time after which a thread counts as hung', () => {
  it('is 20 s, or 5 s to 10 minutes', () => {
    expect(read().hangMs).toBe(20_000);
    for (const seconds of ['5', '600']) expect(read({ SLUICE_HANG_S: seconds }).hangMs).toBe(Number(seconds) * 1000);
    for (const value of ['4', '601', '7.5', '']) {
      expect(() => read({ SLUICE_HANG_S: value }), value).toThrow(
        new ConfigError(`SLUICE_HANG_S=${value} is not an integer from 5 to 600`),
      );
    }
  });
});

describe('a value that cannot be used', () => {
  it.each([
    ['SLUICE_HOST', ''],
    ['SLUICE_HOST', '256.0.0.1'],
    ['SLUICE_PORT', '65536'],
    ['SLUICE_DATA_DIR', ''],
    ['SLUICE_SHARDS', '0'],
    ['SLUICE_SHARDS', '1.5'],
    ['SLUICE_LOG_LEVEL', 'loud'],
    ['SLUICE_RATE_LIMIT_ORDERS', '-1'],
    ['SLUICE_RATE_LIMIT_READS', 'many'],
    ['SLUICE_RATE_LIMIT_IP', '1/s'],
    ['SLUICE_MARKET_DATA_CAP', ''],
    ['SLUICE_WS_CONNECTIONS', '0'],
    ['SLUICE_WS_PING_MS', '0'],
    ['SLUICE_WS_SILENCE_MS', '1e5'],
    ['SLUICE_LISTEN_KEY_TTL_S', '0'],
    ['SLUICE_SIM_SEED', '0x10'],
    ['SLUICE_SIM_SPEED', '0'],
    ['SLUICE_SIM_LATENCY', 'far'],
    ['SLUICE_SIM_FAULTS', '/no/such/script'],
    ['SLUICE_CREATE_DEMO_KEY', 'yes'],
    ['SLUICE_LIVE_TESTNET', 'BINANCE'],
    ['SLUICE_LIVE_URL_BINANCE', 'http://127.0.0.1:1'],
    ['SLUICE_SIM_SPEED', 'fast'],
    ['SLUICE_CREATE_DEMO_KEY', 'maybe'],
    ['SLUICE_DATA_DIR', '/dev/null/data'],
  ])('%s=%j is refused in one line that names it', (name, value) => {
    const named = new RegExp(`^[^\\n]*${name}[^\\n]*$`);
    expect(() => read({ [name]: value })).toThrow(ConfigError);
    expect(() => read({ [name]: value })).toThrow(named);
  });
});

describe('the rates of venues', () => {
  it('are wide, as listed, or as given', () => {
    expect(read().venueRates.BINANCE).toEqual({ count: 20_000, perMs: 1_000 });
    expect(read({ SLUICE_VENUE_RATES: 'listed' }).venueRates.BINANCE).toEqual({ count: 100, perMs: 10_000 });
    expect(read({ SLUICE_VENUE_RATES: 'listed,BINANCE=off' }).venueRates.BINANCE).toBeNull();
  });

  it('are refused by the name of the variable, with the part that is wrong', () => {
    const rates = 'listed,NYSE=5/1s';
    expect(() => read({ SLUICE_VENUE_RATES: rates })).toThrow(ConfigError);
    expect(() => read({ SLUICE_VENUE_RATES: rates })).toThrow(
      'SLUICE_VENUE_RATES=listed,NYSE=5/1s: NYSE=5/1s: NYSE is none of BINANCE',
    );
  });
});

describe('the token of the metrics', () => {
  const TOKEN = 'a-token-that-nobody-guesses';

  it('is absent, or long enough', () => {
    expect(read().metricsToken).toBeNull();
    expect(read({ SLUICE_METRICS_TOKEN: TOKEN }).metricsToken).toBe(TOKEN);
  });

  it.each(['', 'short', `${TOKEN} ${TOKEN}`, `${TOKEN}\n`, 'é'.repeat(20), 'x'.repeat(257)])(
    'is not %j, and is never quoted',
    (token) => {
      const failure = (): unknown => read({ SLUICE_METRICS_TOKEN: token });
      expect(failure).toThrow('SLUICE_METRICS_TOKEN is not 16 to 256 visible ASCII characters');
    },
  );
});

describe('a variable that begins with SLUICE_ and has no effect', () => {
  it.each([
    ['SLUICE_PROT', 'SLUICE_PORT'],
    ['SLUICE_DATADIR', 'SLUICE_DATA_DIR'],
    ['SLUICE_LOG', 'SLUICE_LOG_LEVEL'],
    ['SLUICE_RATE_LIMIT_ORDER', 'SLUICE_RATE_LIMIT_ORDERS'],
    ['SLUICE_LIVES', 'SLUICE_LIVE'],
    ['SLUICE_port', 'SLUICE_PORT'],
    ['SLUICE_API_KEYS', 'SLUICE_API_KEY'],
  ])('%s is refused with the nearest name %s', (name, nearest) => {
    const message = `${name} is not a known setting; the nearest is ${nearest}`;
    expect(() => read({ [name]: '' })).toThrow(new ConfigError(message));
  });

  it.each(['SLUICE_LIVE_URL_KRAKEN', 'SLUICE_PAPER_WALLET'])('%s is refused: this release does not have it', (name) => {
    const message = `${name} is a setting that this release does not support`;
    expect(() => read({ [name]: '0' })).toThrow(new ConfigError(message));
  });

  it('a mode that no exchange has is refused in one line that names the modes', () => {
    const message = 'SLUICE_LIVE=BINANCE:paper: BINANCE:paper is not EXCHANGE:MODE; the modes are testnet and live';
    expect(() => read({ SLUICE_LIVE: 'BINANCE:paper' })).toThrow(new ConfigError(message));
  });

  it('is named with all others, before the data directory is made', () => {
    const env = { SLUICE_SHARD: '2', SLUICE_: '', SLUICE_DATA_DIR: join(folder, 'none') };
    expect(() => read(env)).toThrow(/^SLUICE_SHARD is .*SLUICE_SHARDS\nSLUICE_ is not a known setting/);
    expect(existsSync(env.SLUICE_DATA_DIR)).toBe(false);
  });

  it('is none of the variables of clients, of tests, and of other programs', () => {
    const clients = { SLUICE_URL: '', SLUICE_API_KEY: '', SLUICE_API_SECRET: '' };
    expect(read({ ...clients, SLUICE_TEST_ANYTHING: '', SLUICEGATE: '', MY_SLUICE_PORT: '' }).port).toBe(8080);
  });
});

describe('the proxy for real exchanges', () => {
  const LIVE = { SLUICE_LIVE: 'BINANCE:testnet' };
  const [OWN, SHARED, LOWER] = ['http://own.test:1', 'https://me:secret@shared.test:2', 'http://lower.test:3'];

  it.each([
    ['none is set', {}, null],
    ['HTTPS_PROXY is set', { HTTPS_PROXY: SHARED }, SHARED],
    ['https_proxy is set', { https_proxy: LOWER }, LOWER],
    ['both are set', { HTTPS_PROXY: SHARED, https_proxy: LOWER }, SHARED],
    ['HTTPS_PROXY is empty', { HTTPS_PROXY: '', https_proxy: LOWER }, LOWER],
    ['the own setting is set too', { SLUICE_LIVE_PROXY: OWN, HTTPS_PROXY: SHARED }, OWN],
    ['the own setting is off', { SLUICE_LIVE_PROXY: 'off', HTTPS_PROXY: SHARED }, null],
  ])('when %s', (_what, env, proxy) => {
    expect(read({ ...LIVE, ...env }).liveProxy).toBe(proxy);
  });

  it('is not read from shared names without a real exchange', () => {
    expect(read({ HTTPS_PROXY: 'socks5://x' }).liveProxy).toBe(null);
  });

  it.each([
    [{ HTTPS_PROXY: 'me:secret@x' }, 'HTTPS_PROXY is not a URL of http or https'],
    [{ HTTPS_PROXY: 'socks5://me:secret@x' }, 'HTTPS_PROXY is not a URL of http or https'],
    [{ SLUICE_LIVE_PROXY: 'me:secret@x' }, 'SLUICE_LIVE_PROXY is not a URL of http or https, and not "off"'],
  ])('is refused without its text when it is no URL', (env, message) => {
    expect(() => read({ ...LIVE, ...env })).toThrow(new ConfigError(message));
  });
});

const variablesOf = (text: string): string[] => [...new Set(text.match(/SLUICE_[A-Z_]+/g))].toSorted();

describe('the table of environment variables', () => {
  const root = new URL('../../', import.meta.url);
  const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

  it('names every variable that the service reads, and no other', () => {
    const quoted =
      `${textOf('src/runtime/config.ts')}${textOf('src/venue/live/exchange-origin.ts')}${textOf('src/keys/vault.ts')}`.match(
        /'SLUICE_[A-Z_]+'/g,
      );
    const read = variablesOf(String(quoted));
    expect([...SETTING_NAMES].toSorted()).toEqual(read);
    const rows = textOf('src/docs/configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `SLUICE_'));
    expect(variablesOf(rows.join())).toEqual(read);
  });
});
