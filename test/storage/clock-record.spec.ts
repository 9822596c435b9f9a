import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClockFile, renewClock, uptimeMs } from '../../src/storage/clock-record.js';
import { judgeClock, type ClockRecord } from '../../src/domain/time.js';

const record = (wallMs: number): ClockRecord => ({
  wallMs,
  leadMs: 1.5,
  errorMs: -3,
  speed: 60,
  bootId: 'b'.repeat(36),
  uptimeMs: null,
});

describe('the file of the last known clocks', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-clock-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has no record at first and then the latest one', () => {
    expect(new ClockFile(folder).read()).toBeNull();
    for (const wallMs of [3, 1, 2]) {
      new ClockFile(folder).write(record(wallMs));
      expect(new ClockFile(folder).read()).toEqual(record(wallMs));
    }
  });

  it('keeps its size, so that a full disk takes it', () => {
    const file = new ClockFile(folder);
    for (let wallMs = 0; wallMs < 10; wallMs += 1) file.write(record(wallMs));
    expect(readFileSync(join(folder, 'clock'))).toHaveLength(1024);
  });

  it('falls back to the record before when a write was torn at some byte', () => {
    const file = new ClockFile(folder);
    file.write(record(1));
    const before = readFileSync(join(folder, 'clock'));
    file.write(record(2));
    const after = readFileSync(join(folder, 'clock'));
    for (let cut = 0; cut <= after.length; cut += 5) {
      const torn = Buffer.concat([after.subarray(0, cut), before.subarray(cut)]);
      writeFileSync(join(folder, 'clock'), torn);
      expect([1, 2], `torn at ${cut}`).toContain(new ClockFile(folder).read()?.wallMs);
    }
  });

  describe('of a restored directory', () => {
    const DAY_MS = 24 * 3600 * 1000;
    const backedUp = { ...record(1_800_000_000_000), leadMs: 0, errorMs: 0, speed: 1 };
    const sighting = (wallMs: number) => ({
      wallMs,
      bootId: 'this boot',
      uptimeMs: uptimeMs(),
      lastServiceMs: backedUp.wallMs,
      speed: 1,
      confirmedMs: null,
    });

    it('accepts the start after the restore of an old backup from another boot', () => {
      const wallMs = backedUp.wallMs + 30 * DAY_MS;
      new ClockFile(folder).write(backedUp);
      expect(judgeClock(backedUp, sighting(wallMs)).kind).toBe('refused');
      renewClock(folder, wallMs, 'this boot');
      expect(judgeClock(new ClockFile(folder).read(), sighting(wallMs))).toMatchObject({
        kind: 'accepted',
        serviceMs: wallMs,
      });
    });

    it('leaves a wall clock that lags the backup to the start, which refuses it', () => {
      const wallMs = backedUp.wallMs - DAY_MS;
      new ClockFile(folder).write(backedUp);
      renewClock(folder, wallMs, 'this boot');
      expect(new ClockFile(folder).read()).toEqual(backedUp);
      expect(judgeClock(backedUp, sighting(wallMs)).kind).toBe('refused');
    });
  });

  it('measures the uptime by a clock that a fake wall clock does not move', () => {
    expect(uptimeMs()).toBeGreaterThan(0);
  });
});
