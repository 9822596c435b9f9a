import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SecretInput } from '../../src/cli/context.js';
import { VENUES } from '../../src/domain/exchange.js';
import { openDatabase } from '../../src/keys/database.js';
import type { VenueKeyPlace } from '../../src/keys/port.js';
import { sluice, type Outcome } from './command-line.js';
import { ADD, API_KEY, PLACE, SECRET, storedKey } from './stored-venue-key.js';

const OKX = ['--account', 'desk', '--exchange', 'okx', '--environment', 'live'];
const ADD_OKX = ['venue-keys', 'add', ...OKX, '--api-key', '8a1b2c3d-1111-2222-3333-444455556666'];

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-venue-keys-'));
  dataDir = join(parent, 'data');
  expect((await run(['keys', 'create', '--account', 'desk'])).status).toBe(0);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function run(
  args: readonly string[],
  secretInput?: SecretInput,
  prompt?: (question: string) => Promise<string>,
): Promise<Outcome> {
  return sluice(args, { SLUICE_DATA_DIR: dataDir }, { ...(secretInput && { secretInput }), ...(prompt && { prompt }) });
}

/** Runs a command with text on standard input. */
function piped(args: readonly string[], text = `${SECRET}\n`): Promise<Outcome> {
  return run([...args, '--secret-stdin'], { read: () => Promise.resolve(Buffer.from(text)) });
}

/** Runs a command at a terminal that gives these answers. */
async function asked(
  args: readonly string[],
  ...answers: readonly string[]
): Promise<Outcome & { questions: string[] }> {
  const questions: string[] = [];
  const ask = (question: string): Promise<Buffer> => {
    questions.push(question);
    return Promise.resolve(Buffer.from(answers[questions.length - 1] ?? ''));
  };
  const outcome = await run(args, { ask, read: () => Promise.reject(new Error('standard input is the terminal')) });
  return { ...outcome, questions };
}

const stored = (place: Partial<VenueKeyPlace> = {}): ReturnType<typeof storedKey> => storedKey(dataDir, place);
const listed = async (): Promise<unknown> => JSON.parse((await run(['venue-keys', 'list', '--json'])).out);

describe('sluice venue-keys add', () => {
  it('reads the secret from standard input and drops one line break at its end', async () => {
    expect(await piped(ADD)).toEqual({
      status: 0,
      out: 'added the key vmPU…Eh8A of account desk at BINANCE testnet\n',
      error: '',
    });
    expect(await stored()).toEqual([SECRET, undefined]);
    for (const text of [SECRET, `${SECRET}\r\n`]) {
      expect(await piped([...ADD, '--replace'], text)).toMatchObject({ status: 0, error: '' });
      expect(await stored()).toEqual([SECRET, undefined]);
    }
    expect(await piped([...ADD, '--replace'], `${SECRET}\n\n`)).toMatchObject({
      status: 2,
      error: 'sluice: the secret has a line break\n',
    });
  });

  it('reads the passphrase as the last line', async () => {
    for (const text of ['ABCDEF\nmy phrase', 'ABCDEF\r\nmy phrase\r\n']) {
      await piped([...ADD_OKX, ...(text.includes('\r') ? ['--replace'] : [])], text);
      expect(await stored({ venue: 'OKX', environment: 'live' })).toEqual(['ABCDEF', 'my phrase']);
    }
    expect(await piped([...ADD_OKX, '--replace'], 'ABCDEF\n')).toMatchObject({
      status: 2,
      error: 'sluice: a key of OKX has a passphrase, which is missing; on standard input it is the last line\n',
    });
  });

  it('asks at a terminal, for the passphrase where the exchange has one', async () => {
    expect(await asked(ADD, SECRET)).toMatchObject({ status: 0, questions: ['Secret of vmPU…Eh8A (not shown): '] });
    expect(await stored()).toEqual([SECRET, undefined]);
    const { status, questions } = await asked(ADD_OKX, 'ABCDEF', 'my phrase');
    expect([status, questions]).toEqual([0, ['Secret of 8a1b…6666 (not shown): ', 'Passphrase (not shown): ']]);
    expect(await stored({ venue: 'OKX', environment: 'live' })).toEqual(['ABCDEF', 'my phrase']);
  });

  it('asks for nothing when the key is refused', async () => {
    await piped(ADD);
    const second = await asked(ADD, 'x');
    expect(second).toMatchObject({
      status: 1,
      questions: [],
      error: expect.stringContaining('has the key vmPU…Eh8A') as string,
    });
    expect(await asked(['venue-keys', 'add', ...PLACE, '--api-key', 'a b'], 'x')).toMatchObject({
      status: 2,
      questions: [],
    });
    expect(await stored()).toEqual([SECRET, undefined]);
  });

  it('needs a terminal or --secret-stdin, not both', async () => {
    expect(await run(ADD)).toMatchObject({ status: 2, error: expect.stringContaining('--secret-stdin') as string });
    expect(await asked([...ADD, '--secret-stdin'])).toMatchObject({ status: 2, questions: [] });
    expect(await listed()).toEqual([]);
  });

  it('lists the exchanges when it refuses an unknown one', async () => {
    const { status, error } = await piped([
      'venue-keys',
      'add',
      '--account',
      'a',
      '--exchange',
      'NYSE',
      '--environment',
      'live',
      '--api-key',
      'x',
    ]);
    expect([status, error]).toEqual([2, `sluice: exchange "NYSE" is not one of ${VENUES.join(', ')}\n`]);
  });

  it('warns of an unusual form and of an account without API key', async () => {
    const args = ['--account', 'new', '--exchange', 'BINANCE', '--environment', 'live', '--api-key', 'short-key'];
    const { status, error } = await piped(['venue-keys', 'add', ...args], 'short-secret');
    expect(status).toBe(0);
    expect(error).toContain('Warning: the API key of BINANCE usually has 64 letters and digits');
    expect(error).toContain('Warning: the secret of BINANCE usually has 64 letters and digits');
    expect(error).toContain('Warning: account new has no API key of Sluice');
  });

  it('repeats no value of an unknown option', async () => {
    for (const args of [
      [...ADD, `--secret=${SECRET}`],
      ['venue-keys', `--secret=${SECRET}`, 'add'],
      [...ADD, '--secret', SECRET],
      [...ADD, SECRET],
    ]) {
      const { status, out, error } = await run(args);
      expect([status, out]).toEqual([2, '']);
      expect(error).not.toContain(SECRET);
    }
    expect((await run([...ADD, `--secret=${SECRET}`])).error).toContain('replace it at the exchange');
  });

  it('needs an existing data directory', async () => {
    const elsewhere = join(parent, 'elsewhere');
    const outcome = await sluice([...ADD, '--secret-stdin'], { SLUICE_DATA_DIR: elsewhere });
    expect(outcome).toMatchObject({ status: 2, error: expect.stringContaining('SLUICE_DATA_DIR') as string });
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe('sluice venue-keys list', () => {
  it('shows the keys without their secrets', async () => {
    await piped([...ADD, '--label', 'Main desk', '--expires', '2099-01-01']);
    await piped(['venue-keys', 'add', ...PLACE, '--subaccount', 'fund', '--api-key', 'x'.repeat(64)]);
    const created = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const place = { account: 'desk', exchange: 'BINANCE', environment: 'testnet' };
    expect(await listed()).toEqual([
      {
        ...place,
        api_key: 'vmPU…Eh8A',
        kind: 'HMAC',
        label: 'Main desk',
        created_at: created,
        expires_at: '2099-01-01T00:00:00.000Z',
        state: 'ACTIVE',
      },
      { ...place, subaccount: 'fund', api_key: 'xxxx…xxxx', kind: 'HMAC', created_at: created, state: 'ACTIVE' },
    ]);
    const { out } = await run(['venue-keys', 'list']);
    expect(out).toMatch(
      /^ACCOUNT +SUBACCOUNT +EXCHANGE +ENVIRONMENT +API KEY +KIND +CREATED +EXPIRES +STATE +LABEL\ndesk +BINANCE +testnet +vmPU…Eh8A +HMAC/,
    );
    expect(out).not.toContain(API_KEY);
  });

  it('shows expired and damaged keys', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await piped([...ADD, '--expires', '1s']);
    await piped(ADD_OKX, 'ABCDEF\nmy phrase');
    const { root, venueKeys } = openDatabase(dataDir);
    venueKeys.putSync('OKX/live/desk/', Buffer.from('damaged'));
    await root.close();
    expect(await listed()).toMatchObject([
      { exchange: 'BINANCE', state: 'ACTIVE' },
      { exchange: 'OKX', state: 'DAMAGED' },
    ]);
    vi.advanceTimersByTime(1_000);
    expect(await listed()).toMatchObject([
      { exchange: 'BINANCE', state: 'EXPIRED' },
      { exchange: 'OKX', state: 'DAMAGED' },
    ]);
    expect((await run(['venue-keys', 'list'])).out).toContain('DAMAGED');
  });

  it('says that there are none', async () => {
    expect((await run(['venue-keys', 'list'])).out).toBe('No keys of exchanges.\n');
  });
});

describe('sluice venue-keys remove', () => {
  const REMOVE = ['venue-keys', 'remove', ...PLACE];
  const CONSEQUENCE = 'Sluice will not work the open orders of account desk at BINANCE any further';

  it('asks at a terminal and says what follows', async () => {
    await piped(ADD);
    const questions: string[] = [];
    const answering =
      (answer: string) =>
      (question: string): Promise<string> => {
        questions.push(question);
        return Promise.resolve(answer);
      };
    for (const answer of ['', 'n', 'yesterday']) {
      expect(await run(REMOVE, undefined, answering(answer))).toMatchObject({
        status: 1,
        error: 'sluice: cancelled; nothing is changed\n',
      });
    }
    expect(questions[0]).toBe(`Remove the key vmPU…Eh8A of account desk at BINANCE testnet? ${CONSEQUENCE}. [y/N] `);
    expect(await stored()).not.toBe(null);
    expect(await run(REMOVE, undefined, answering('y'))).toEqual({
      status: 0,
      out: 'removed the key vmPU…Eh8A of account desk at BINANCE testnet\n',
      error: `${CONSEQUENCE}. Orders that rest there stay there.\n`,
    });
    expect(await stored()).toBe(null);
  });

  it('needs --yes without a terminal, and an existing key', async () => {
    await piped(ADD);
    expect((await run(REMOVE)).status).toBe(2);
    expect(await run([...REMOVE, '--subaccount', 'fund', '--yes'])).toMatchObject({
      status: 1,
      error: 'sluice: account desk, sub-account fund, at BINANCE testnet has no key\n',
    });
    expect((await run([...REMOVE, '--yes', '--json'])).out).toContain('"api_key":"vmPU…Eh8A"');
    expect(await listed()).toEqual([]);
  });
});

describe('sluice venue-keys check', () => {
  it('opens every key and names those that do not open', async () => {
    await piped(ADD);
    await piped(ADD_OKX, 'ABCDEF\nmy phrase');
    expect(await run(['venue-keys', 'check'])).toMatchObject({ status: 0, error: '' });
    const { root, venueKeys } = openDatabase(dataDir);
    const row = Buffer.from(venueKeys.get('OKX/live/desk/')!);
    row[row.length - 1]! ^= 1;
    venueKeys.putSync('OKX/live/desk/', row);
    await root.close();
    const { status, out, error } = await run(['venue-keys', 'check', '--json']);
    expect([status, error]).toEqual([1, 'sluice: 1 of 2 keys of exchanges do not open\n']);
    expect(JSON.parse(out)).toEqual([
      { account: 'desk', exchange: 'BINANCE', environment: 'testnet', opens: true },
      {
        account: 'desk',
        exchange: 'OKX',
        environment: 'live',
        opens: false,
        problem: expect.stringContaining('does not open') as string,
      },
    ]);
    expect((await run(['venue-keys', 'check'])).out).toMatch(
      /BINANCE +testnet +opens\n.*the key of account desk at OKX live does not open/,
    );
  });
});
