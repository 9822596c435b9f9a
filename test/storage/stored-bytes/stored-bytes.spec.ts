import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isRejected } from '../../../src/domain/rejection.js';
import { openIdentity } from '../../../src/runtime/identity.js';
import { PRESENT_FORMAT } from '../../../src/storage/format/format-steps.js';
import { problemsOf, Release } from '../../journal/format/aged-data.js';
import { dataFolders } from '../../journal/data-folders.js';

import { entryOf, EVENT_KINDS, makeMessages, type SampleMessages, stateOf } from './sample-messages.js';
import {
  makeSample,
  MASTER_KEY,
  ORDER_IDS,
  type SampleDirectory,
  VENUE_KEY,
  venueAnswers,
  writeSample,
} from './sample-directory.js';
import type { RawRow } from './raw-rows.js';
import { storedMessages } from './stored-messages.js';

/*
 * The stored bytes of every released format. A release reads all of them, and writes the bytes of its own format.
 * `STORED_BYTES=write` writes the files of a new format. The files of a released format never change.
 */
const PRESENT = PRESENT_FORMAT.number;
const FORMATS = Array.from({ length: PRESENT }, (_, index) => index + 1);
const CHANGED =
  'The stored bytes have changed. Add a step to FORMAT_STEPS (src/adr/0061), then run this test with STORED_BYTES=write';
/** Rows whose bytes depend neither on random keys nor on the simulated market. */
const FIXED_IDENTITY_TABLES = ['guardrails', 'ids', 'releases', 'sessions', 'timers', 'trading'];

interface Stored extends SampleMessages {
  readonly directory: SampleDirectory;
  readonly venueAnswers: readonly string[];
}

const folders = dataFolders();

function fileOf(format: number, name: string): string {
  return join(import.meta.dirname, `format-${format}.${name}`);
}

function storedOf(format: number): Stored {
  const file = fileOf(format, 'json');
  if (!existsSync(file)) throw new Error(`${file} is missing: run this test with STORED_BYTES=write`);
  return JSON.parse(readFileSync(file, 'utf8')) as Stored;
}

function fixed(rows: readonly RawRow[]): readonly RawRow[] {
  return rows.filter(([table]) => FIXED_IDENTITY_TABLES.includes(table));
}

/** Names of the fields of each API key. */
function keyFields(rows: readonly RawRow[]): string[][] {
  return rows
    .filter(([table]) => table === 'keys')
    .map(([, , value]) => Object.keys(JSON.parse(Buffer.from(value, 'hex').toString('utf8', 1)) as object));
}

/** Keys and public parts of the rows of exchanges' keys. What follows is sealed with a random nonce. */
function venueKeyHeaders(rows: readonly RawRow[]): string[] {
  return rows
    .filter(([table]) => table === 'venue-keys')
    .map(([, key, value]) => {
      const row = Buffer.from(value, 'hex');
      const isGeneration = Buffer.from(key, 'hex').toString().startsWith('generation');
      return `${key} ${row.toString('hex', 0, isGeneration ? row.length : 2 + row.readUInt16BE())}`;
    });
}

function nameOf([, key]: RawRow): string {
  return Buffer.from(key, 'hex').toString('latin1');
}

/** Rows of an account whose only order rests. */
function ofQuiet(rows: readonly RawRow[]): readonly RawRow[] {
  return rows.filter((row) => nameOf(row).includes('quiet'));
}

/** First parts of the keys. */
function kindsOf(rows: readonly RawRow[]): string[] {
  return [...new Set(rows.map((row) => nameOf(row).split('/')[0] ?? ''))].toSorted();
}

let made: SampleDirectory;

beforeAll(async () => {
  const dataDir = folders.fresh();
  made = await makeSample(dataDir);
  if (process.env['STORED_BYTES'] !== 'write') return;
  const stored: Stored = { directory: made, venueAnswers: venueAnswers(dataDir), ...makeMessages() };
  writeFileSync(fileOf(PRESENT, 'json'), `${JSON.stringify(stored, null, 1)}\n`);
  writeFileSync(fileOf(PRESENT, 'messages.txt'), storedMessages());
});

describe.each(FORMATS)('stored data of format %i', (format) => {
  it('is a directory that this release upgrades and reads', async () => {
    const { directory, ...answers } = storedOf(format);
    const dataDir = folders.fresh();
    await writeSample(dataDir, directory, format);
    const release = new Release(dataDir, PRESENT_FORMAT);
    const orders = release.world.main.reader.latest();
    expect(ORDER_IDS.every((id) => orders.events(id).length > 0 && orders.order(id) !== null)).toBe(true);
    await release.close();
    expect(await problemsOf(dataDir, PRESENT_FORMAT)).toEqual([]);
    const identity = openIdentity(dataDir, { masterKey: MASTER_KEY });
    const keys = identity.keys.list();
    expect(keys.map(({ account, kind }) => `${account} ${kind}`)).toEqual(['demo HMAC', 'other RSA']);
    const secret = identity.directory.find(keys[0]!.apiKey);
    expect(secret?.kind === 'HMAC' && secret.secret.export().toString('base64')).toBe(directory.apiSecret);
    expect(identity.directory.find(keys[1]!.apiKey)).toMatchObject({ kind: 'RSA', needsSignV2: true });
    expect([...identity.timers.load()]).toHaveLength(1);
    expect([...identity.sessions.load()]).toHaveLength(1);
    expect(identity.riskLimits.rows().map(({ kind }) => kind)).toEqual(['limits', 'killSwitch', 'limits']);
    expect(identity.trading.restore()).toMatchObject({ childRoom: 100, isHalted: true });
    expect(identity.releases.pending()).toEqual([1_000]);
    const venueKey = identity.venueKeyDirectory.find(VENUE_KEY.place);
    if (venueKey === null || isRejected(venueKey)) throw new Error('the key of the exchange does not open');
    expect(venueKey.secret.export().toString()).toBe(VENUE_KEY.secret);
    expect(venueKey.passphrase?.export().toString()).toBe(VENUE_KEY.passphrase);
    await identity.close();
    expect(venueAnswers(dataDir)).toEqual(answers.venueAnswers);
  });

  it('has an entry of each kind of event, and states, which this release reads', () => {
    const { entries, states } = storedOf(format);
    for (const [kind, { bytes }] of Object.entries(entries)) {
      const lifted = PRESENT_FORMAT.liftEntry(format, Buffer.from(bytes, 'hex'));
      expect(entryOf(lifted).text, kind).toContain(`"kind":"${kind}"`);
    }
    expect(states.length).toBeGreaterThan(0);
  });
});

describe('the bytes that this release stores', () => {
  it('are those of its format: entries of each kind of event', () => {
    const { entries } = storedOf(PRESENT);
    expect(Object.keys(entries).toSorted(), CHANGED).toEqual(EVENT_KINDS.toSorted());
    for (const [kind, stored] of Object.entries(entries)) {
      expect(entryOf(Buffer.from(stored.bytes, 'hex')), `${kind}: ${CHANGED}`).toEqual(stored);
    }
  });

  it('are those of its format: states of orders', () => {
    for (const stored of storedOf(PRESENT).states) {
      expect(stateOf(Buffer.from(stored.bytes, 'hex')), CHANGED).toEqual(stored);
    }
  });

  it('are those of its format: segments and rows of the state', () => {
    const { segments, state } = storedOf(PRESENT).directory;
    expect(made.segments, CHANGED).toEqual(segments);
    expect(made.state, CHANGED).toEqual(state);
  });

  it('are those of its format: rows of the identity store', () => {
    const { identity } = storedOf(PRESENT).directory;
    expect(fixed(made.identity), CHANGED).toEqual(fixed(identity));
    expect(fixed(identity).length).toBeGreaterThanOrEqual(FIXED_IDENTITY_TABLES.length);
    expect(keyFields(made.identity), CHANGED).toEqual(keyFields(identity));
    expect(venueKeyHeaders(made.identity), CHANGED).toEqual(venueKeyHeaders(identity));
    expect(venueKeyHeaders(identity)).toHaveLength(2);
  });

  it('are those of its format: rows of the venue store', () => {
    const { venue } = storedOf(PRESENT).directory;
    expect(kindsOf(ofQuiet(venue))).toContain('open');
    expect(ofQuiet(made.venue), CHANGED).toEqual(ofQuiet(venue));
    expect(kindsOf(made.venue), CHANGED).toEqual(kindsOf(venue));
  });

  it('have the messages that are recorded for its format', () => {
    expect(storedMessages(), CHANGED).toBe(readFileSync(fileOf(PRESENT, 'messages.txt'), 'utf8'));
  });
});
