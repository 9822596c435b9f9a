import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountId, ApiKeyId, OrderId, SessionNumber } from '../../../src/domain/ids.js';
import type { Amount } from '../../../src/domain/quantity.js';
import { isRejected } from '../../../src/domain/rejection.js';
import type { VenueKeyPlace } from '../../../src/keys/port.js';
import { checkVenueSecret } from '../../../src/keys/venue-key-form.js';
import { type Identity, openIdentity } from '../../../src/runtime/identity.js';
import { LmdbVenueStore } from '../../../src/sim/store/lmdb-store.js';
import { identityFolder, journalFolder, stateFolder, venueFolder } from '../../../src/storage/data-directory.js';
import { PRESENT_FORMAT } from '../../../src/storage/format/format-steps.js';
import { SegmentFolder } from '../../../src/journal/segments.js';
import { Release, trade } from '../../journal/format/aged-data.js';
import { SMALL_SEGMENT_BYTES } from '../../journal/journal-world.js';
import { ScriptedOrders } from '../../journal/scripted-orders.js';
import { instrumentAt, SimulatedExchange } from '../../sim/simulated-exchange.js';
import { type RawRow, readRows, writeRows } from './raw-rows.js';

const ORDERS_COUNT = 16;
const NOW_MS = 1_790_000_000_000;
export const MASTER_KEY = '0123456789abcdef'.repeat(4);
const RSA_KEY = readFileSync(join(import.meta.dirname, 'rsa-public-key.pem'), 'utf8');
const FUTURE = instrumentAt('BINANCE', 'BTC/USDT:USDT');
/** Rests below the market of the first minutes. A fixed price gives fixed bytes. */
const QUIET_PRICE = 570_000;

/** The key of an exchange. */
export const VENUE_KEY = {
  place: {
    account: 'demo' as AccountId,
    subaccount: 'fund/1',
    venue: 'OKX',
    environment: 'testnet',
  } satisfies VenueKeyPlace,
  secret: 'C2E4A1B2C3D4E5F60718293A4B5C6D7E',
  passphrase: 'a passphrase',
};

/** A small data directory as text. */
export interface SampleDirectory {
  /** Used part of each segment, in Base64, by number. */
  readonly segments: Readonly<Record<string, string>>;
  readonly identity: readonly RawRow[];
  readonly state: readonly RawRow[];
  readonly venue: readonly RawRow[];
  /** The secret of the key of account `demo`. */
  readonly apiSecret: string;
}

export const ORDER_IDS = Array.from({ length: ORDERS_COUNT }, (_, index) => (1_000 + index) as OrderId);

/** Makes the directory with the code of this release. */
export async function makeSample(dataDir: string): Promise<SampleDirectory> {
  const release = new Release(dataDir, PRESENT_FORMAT);
  trade(release, new ScriptedOrders(), ORDERS_COUNT);
  await release.close();
  const apiSecret = await makeIdentity(dataDir);
  makeVenue(dataDir);
  const folder = SegmentFolder.at(journalFolder(dataDir));
  const used = folder.numbers().filter((number) => folder.header(number) !== null);
  return {
    segments: Object.fromEntries(
      used.map((number) => [number, withoutZeros(folder.load(number)!.bytes).toString('base64')]),
    ),
    identity: await readRows(identityFolder(dataDir), true),
    state: await readRows(stateFolder(dataDir), true),
    venue: await readRows(venueFolder(dataDir), false),
    apiSecret,
  };
}

/** Writes the directory as a release of the given format left it after a clean stop. */
export async function writeSample(dataDir: string, sample: SampleDirectory, format: number): Promise<void> {
  writeFileSync(join(dataDir, 'format.json'), JSON.stringify({ format }));
  mkdirSync(journalFolder(dataDir));
  const folder = new SegmentFolder(journalFolder(dataDir), SMALL_SEGMENT_BYTES);
  for (const [number, text] of Object.entries(sample.segments)) {
    const bytes = Buffer.alloc(SMALL_SEGMENT_BYTES);
    Buffer.from(text, 'base64').copy(bytes);
    writeFileSync(folder.fileOf(Number(number)), bytes);
  }
  await writeRows(identityFolder(dataDir), sample.identity);
  await writeRows(stateFolder(dataDir), sample.state);
  await writeRows(venueFolder(dataDir), sample.venue);
  const stamp = { bootId: 'boot-1', isClean: true, isOpening: false };
  writeFileSync(join(stateFolder(dataDir), 'stamp.json'), JSON.stringify(stamp));
}

/** Rows of every table of the identity store. Returns the secret of the first key. */
async function makeIdentity(dataDir: string): Promise<string> {
  const identity = openIdentity(dataDir, { masterKey: MASTER_KEY });
  const networks = { expiresAtMs: NOW_MS * 2, allowedNetworks: ['10.1.0.0/16'], needsSignV2: true };
  const hmac = identity.keys.createKey({ account: 'demo', permissions: ['trade'], kind: 'HMAC' }, NOW_MS);
  const rsa = identity.keys.createKey(
    { account: 'other', permissions: ['read'], kind: 'RSA', publicKey: RSA_KEY, ...networks },
    NOW_MS + 1,
  );
  if (isRejected(hmac) || isRejected(rsa)) throw new Error('the keys are valid');
  identity.settings.listenKeySecret();
  identity.settings.setDemoKeyPending(true);
  identity.ids.reserveOrderIds(1_000, NOW_MS);
  const account = 'demo' as AccountId;
  const apiKey = 'a'.repeat(32) as ApiKeyId;
  await new Promise<void>((resolve) => {
    identity.timers.put(account, { triggerAtMs: NOW_MS, throughOrderId: 7 as OrderId }, resolve);
  });
  await new Promise<void>((resolve) => {
    identity.sessions.put('session', { account, apiKey, number: 3 as SessionNumber, isOver: false }, resolve);
  });
  identity.riskLimits.set({ kind: 'account', account }, { maxOpenOrders: 20, maxOrderNotional: 250_000n as Amount });
  identity.riskLimits.set({ kind: 'key', account, apiKey }, { maxOpenOrders: 5 });
  await new Promise<void>((resolve) => {
    identity.riskLimits.engage({ kind: 'service' }, { engagedAtMs: NOW_MS, by: 'OPERATOR' }, resolve);
  });
  const restore = { backupAtMs: NOW_MS, backupServiceMs: NOW_MS, childRoom: null, isHalted: true, exempt: [] };
  identity.trading.begin({ epoch: NOW_MS, ...restore });
  identity.trading.keepChildRoom(100);
  identity.releases.ask(1_000 as OrderId, NOW_MS);
  addVenueKey(identity);
  await identity.close();
  return hmac.apiSecret!;
}

function addVenueKey({ venueKeys }: Identity): void {
  const { place, secret: text, passphrase } = VENUE_KEY;
  const apiKey = '8a1b2c3d-1111-2222-3333-444455556666';
  const secret = checkVenueSecret(place.venue, apiKey, Buffer.from(text), Buffer.from(passphrase));
  if (isRejected(secret)) throw new Error(secret.rejection.message);
  const request = { place, apiKey, label: 'sample', expiresAtMs: NOW_MS * 2 };
  const added = venueKeys.add(request, secret, { isReplacing: false, nowRealMs: NOW_MS });
  if (isRejected(added)) throw new Error(added.rejection.message);
}

/** Orders in each state, a position, and candles. */
function makeVenue(dataDir: string): void {
  const store = new LmdbVenueStore(venueFolder(dataDir));
  const exchange = new SimulatedExchange({ instrument: FUTURE, isAlone: true, isWatched: true, store });
  const { bid } = exchange.market;
  exchange.submit({ account: 'quiet', limitPrice: QUIET_PRICE, quantity: 1_000 });
  exchange.submit({ type: 'MARKET', quantity: 100 });
  const { order } = exchange.submit({ limitPrice: Math.round(bid * 0.9), quantity: 500 });
  exchange.cancel(order);
  exchange.pass(180_000, 1_000);
  store.close();
}

/** The states of the venue's orders, as answers to status requests. */
export function venueAnswers(dataDir: string): string[] {
  const store = new LmdbVenueStore(venueFolder(dataDir));
  const exchange = new SimulatedExchange({ instrument: FUTURE, isAlone: true, store });
  const answers = ['quiet', 'alice', 'alice'].map((account) => {
    const reports = exchange.query(exchange.submission({ account, quantity: 1 }));
    return JSON.stringify(reports.map((report) => ('answer' in report ? report.answer.state : report.kind)));
  });
  store.close();
  return answers;
}

function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}
