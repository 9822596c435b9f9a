import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignatureLog, type LoggedUse, type SignatureLogParts } from '../../src/keys/signature-log.js';
import { SIGNATURE_FILE_MS, SIGNATURE_MARGIN_MS } from '../../src/domain/limits/clients.js';

const START_MS = 1_800_000_000_000;

let dataDir: string;
let realMs: number;
let monotonicMs: number;
let turn: (() => void)[];
let failures: unknown[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-signatures-'));
  [realMs, monotonicMs, turn, failures] = [START_MS, 0, [], []];
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function open(parts: Partial<SignatureLogParts> = {}): SignatureLog {
  return new SignatureLog({
    dataDir,
    isNew: false,
    realNowMs: () => realMs,
    monotonicMs: () => monotonicMs,
    bootId: 'boot-1',
    atEndOfTurn: (run) => turn.push(run),
    onFailure: (error) => failures.push(error),
    ...parts,
  });
}

function use(number: number, fields: Partial<LoggedUse> = {}): LoggedUse {
  const mark = `mark${String(number).padStart(12, '0')}`;
  const target = 'POST /api/v2/trading/order/create';
  return { account: 'demo', mark, target, validUntilMs: realMs + 5_000, isSpent: true, ...fields };
}

const endTurn = (): void => turn.splice(0).forEach((run) => run());
const files = (): string[] => readdirSync(join(dataDir, 'signatures'));

describe('the signature log', () => {
  it('answers when the lines of a turn are in the file, and the next process reads them', () => {
    const log = open({ isNew: true });
    expect(log.load()).toEqual({ uses: [], unknownBeforeMs: 0 });
    const written: boolean[] = [];
    log.append(use(1), (isWritten) => written.push(isWritten));
    log.append(use(2, { isSpent: false }), null);
    expect(written).toEqual([]);
    endTurn();
    expect(written).toEqual([true]);
    // The process is killed here, so no file is closed.
    expect(open().load()).toEqual({ uses: [use(1), use(2, { isSpent: false })], unknownBeforeMs: 0 });
  });

  it('is readable by its owner only', () => {
    open().load();
    expect(statSync(join(dataDir, 'signatures')).mode & 0o777).toBe(0o700);
    for (const name of files()) expect(statSync(join(dataDir, 'signatures', name)).mode & 0o777).toBe(0o600);
  });

  it.each<[string, Partial<SignatureLogParts>, number]>([
    ['has all signatures after a restart of the process', {}, 0],
    ['may lack signatures after a start of the machine', { bootId: 'boot-2' }, START_MS + 1_000],
    ['may lack signatures when the boot id is unknown', { bootId: null }, START_MS + 1_000],
  ])('%s', (_name, parts, unknownBeforeMs) => {
    const log = open({ isNew: true });
    log.load();
    log.append(use(1), null);
    endTurn();
    realMs += 1_000;
    expect(open(parts).load()).toMatchObject({ uses: [{ mark: use(1).mark }], unknownBeforeMs });
    realMs += 1_000;
    // The process after the next one has it too.
    const later = parts.bootId === null ? realMs : unknownBeforeMs;
    expect(open(parts).load()).toMatchObject({ uses: [{ mark: use(1).mark }], unknownBeforeMs: later });
  });

  it('may lack signatures when a used directory has no file', () => {
    expect(open().load().unknownBeforeMs).toBe(START_MS);
  });

  it('reads the lines before a line that was cut off', () => {
    const log = open({ isNew: true });
    log.load();
    for (const number of [1, 2]) log.append(use(number), null);
    endTurn();
    const [name = ''] = files();
    const path = join(dataDir, 'signatures', name);
    truncateSync(path, statSync(path).size - 10);
    expect(open().load().uses).toEqual([use(1)]);
  });

  it('reports a failure of the disk and continues in another file', () => {
    let isFailing = false;
    const texts: string[] = [];
    const log = open({
      isNew: true,
      write: (_file, text) => {
        if (isFailing) throw new Error('ENOSPC');
        texts.push(text);
      },
    });
    log.load();
    isFailing = true;
    const written: boolean[] = [];
    log.append(use(1), (isWritten) => written.push(isWritten));
    endTurn();
    isFailing = false;
    log.append(use(2), (isWritten) => written.push(isWritten));
    endTurn();
    expect(written).toEqual([false, true]);
    expect(failures).toHaveLength(1);
    expect(files()).toHaveLength(2);
    expect(texts.at(-1)).toContain(use(2).mark);
  });

  it('removes a file when both clocks have passed its last signature', () => {
    const log = open({ isNew: true });
    log.load();
    const write = (number: number): void => {
      log.append(use(number), null);
      endTurn();
    };
    write(1);
    [realMs, monotonicMs] = [realMs + SIGNATURE_FILE_MS, SIGNATURE_FILE_MS];
    write(2);
    expect(files()).toHaveLength(2);
    // The wall clock was set back: the first file stays.
    [realMs, monotonicMs] = [START_MS, 2 * SIGNATURE_FILE_MS];
    write(3);
    expect(files()).toHaveLength(3);
    [realMs, monotonicMs] = [START_MS + 4 * SIGNATURE_FILE_MS, 4 * SIGNATURE_FILE_MS + SIGNATURE_MARGIN_MS];
    write(4);
    const names = files();
    expect(names).toHaveLength(2);
    expect(readFileSync(join(dataDir, 'signatures', names.at(-1) ?? ''), 'utf8')).toContain(use(4).mark);
    log.close();
  });
});
