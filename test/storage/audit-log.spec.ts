import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUDIT_FILE_BYTES_MAX, AUDIT_FILES_MAX, AUDIT_LINE_BYTES_MAX } from '../../src/domain/limits/process.js';
import { appendAudit, AuditFailure, type AuditLine, currentOperator } from '../../src/storage/audit-log.js';

const NOW_MS = Date.UTC(2026, 10, 29, 3);

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-audit-'));
  path = join(folder, 'audit.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function line(account: string): AuditLine {
  return { action: 'keys.revoke', by: { kind: 'SERVICE' }, subject: { account }, reason: null };
}

function fullFiles(): string[] {
  return readdirSync(folder).filter((name) => name !== 'audit.log');
}

describe('the audit log', () => {
  it('has one JSON line for each action, and only its owner can read it', () => {
    appendAudit(folder, { ...line('desk'), reason: 'key of a former user\u2028"' }, NOW_MS);
    appendAudit(folder, line('other'), NOW_MS + 1);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.map((text) => (text === '' ? null : (JSON.parse(text) as unknown)))).toEqual([
      {
        time: '2026-11-29T03:00:00.000Z',
        action: 'keys.revoke',
        by: { kind: 'SERVICE' },
        subject: { account: 'desk' },
        reason: 'key of a former user\u2028"',
      },
      {
        time: '2026-11-29T03:00:00.001Z',
        action: 'keys.revoke',
        by: { kind: 'SERVICE' },
        subject: { account: 'other' },
      },
      null,
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('starts a new file at the bound of bytes, and keeps the latest files', () => {
    for (let file = 0; file < AUDIT_FILES_MAX + 2; file += 1) {
      appendAudit(folder, line(`number-${file}`), NOW_MS + file);
      // Fills the file up to the bound, without the cost of its bytes.
      truncateSync(path, AUDIT_FILE_BYTES_MAX - 1);
      appendFileSync(path, '\n');
    }
    appendAudit(folder, line('last'), NOW_MS + 100);
    expect(readFileSync(path, 'utf8')).toContain('last');
    const full = fullFiles().sort();
    expect(full).toHaveLength(AUDIT_FILES_MAX - 1);
    const kept = full.map((name) => /number-\d+/.exec(readFileSync(join(folder, name), 'utf8'))?.[0]);
    expect(kept).toEqual(Array.from({ length: AUDIT_FILES_MAX - 1 }, (_, index) => `number-${index + 3}`));
    for (const name of full) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(AUDIT_FILE_BYTES_MAX);
  });

  it('begins a line of its own after a line that a full disk has cut', () => {
    writeFileSync(path, '{"time":"2026-');
    appendAudit(folder, line('desk'), NOW_MS);
    const [cut, whole] = readFileSync(path, 'utf8').split('\n');
    expect(cut).toBe('{"time":"2026-');
    expect(JSON.parse(whole ?? '')).toMatchObject({ subject: { account: 'desk' } });
  });

  it('throws, and names the file, when the line cannot be stored or is too long', () => {
    const long = { ...line('desk'), subject: { networks: 'x'.repeat(AUDIT_LINE_BYTES_MAX) } };
    expect(() => appendAudit(folder, long, NOW_MS)).toThrow(AuditFailure);
    expect(existsSync(path)).toBe(false);
    symlinkSync(join(folder, 'elsewhere'), path);
    expect(() => appendAudit(folder, line('desk'), NOW_MS)).toThrow(`the audit log ${path} cannot be written`);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });
});

describe('the operator', () => {
  it('is the user of the process, with the login before sudo', () => {
    const { uid, username } = userInfo();
    expect(currentOperator({})).toMatchObject({ kind: 'OPERATOR', uid, user: username, pid: process.pid });
    expect(currentOperator({})).not.toHaveProperty('sudo_user');
    expect(currentOperator({ SUDO_USER: 'alice' })).toMatchObject({ sudo_user: 'alice' });
  });
});
