import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../src');
/** Rooms through which a create, a request of order entry, a turn, the journal and the projector go. */
const ROOMS = ['http', 'intake', 'journal', 'order', 'risk', 'shard', 'strategy', 'stream', 'wire'];

/** Why each Map or Set that an object keeps need not be a NumberMap (adr/0073). */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  'it refers to numbers and short texts only': [
    'http/auth/used-signatures.ts #targetNumbers',
    'intake/cancel-on-disconnect.ts #cancelling',
    'intake/idempotency.ts #earlier',
    'intake/idempotency.ts #settled',
    'intake/idempotency.ts #unresolved',
    'journal/retention/old-orders.ts #passing',
    'journal/retention/retention.ts #empty',
    'journal/trading-meter.ts #unknown',
    'journal/turn/recent-turns.ts #trades',
    'risk/account-exposure.ts #ended',
    'risk/account-exposures.ts #followed',
    'risk/exposure-reading.ts #asked',
    'risk/exposure-reading.ts #mids',
    'risk/exposure-reading.ts #unread',
    'shard/market-subscriptions.ts #awakeSinceMs',
    'shard/market-subscriptions.ts #tradingCounts',
    'shard/market-subscriptions.ts #waitingCounts',
    'shard/order-guard.ts #quarantined',
    'shard/order-guard.ts #setAside',
    'shard/quote-history.ts #heldUntilMs',
    'shard/turn-batch.ts #trades',
    'shard/turn-batch.ts filled',
    'shard/turn-batch.ts worked',
    'shard/venue-watch.ts #accountsCutOff',
    'shard/venue-watch.ts #cutOff',
    'shard/venue-watch.ts #withoutWorker',
    'wire/account-counts.ts #numbers',
  ],
  'an entry belongs to an account, key, address, instrument, market, exchange, route or file, and outlives requests': [
    'http/address-limit.ts #bySubscriber',
    'http/address-share.ts #counts',
    'http/auth/used-signatures.ts #holders',
    'http/metrics/answer-meter.ts #byRoute',
    'http/rate-limit.ts #byKey',
    'intake/funding-lookup.ts #current',
    'intake/funding-lookup.ts #paid',
    'intake/shard-client.ts #waiting',
    'intake/trading-gate.ts #halts',
    'journal/segment-reader.ts #files',
    'journal/state/feed-rows.ts #known',
    'risk/account-exposures.ts #exposures',
    'risk/limit-directory.ts #accounts',
    'risk/limit-directory.ts #keys',
    'risk/limit-directory.ts #stopped',
    'risk/positions-worth.ts #reported',
    'risk/positions-worth.ts venues',
    'risk/self-cross.ts #rows',
    'shard/accounts.ts #accounts',
    'shard/accounts.ts free',
    'shard/admission-positions.ts #accounts',
    'shard/market-subscriptions.ts #byInstrument',
    'shard/quote-history.ts #latest',
    'shard/ring-ports.ts #real',
    'shard/volume-profiles.ts #learnings',
    'strategy/volume/profile.ts #known',
    'stream/feeds.ts #byAccount',
    'stream/unpaid-frames.ts #buckets',
  ],
  'an entry belongs to a connection or a subscription, and outlives requests': [
    'intake/cancel-on-disconnect.ts #kept',
    'intake/cancel-on-disconnect.ts #retries',
    'stream/account-snapshots.ts #feeds',
    'stream/account-snapshots.ts sent',
    'stream/connection.ts instruments',
    'stream/connection.ts marketSubscriptions',
    'stream/connection.ts subscriptions',
    'stream/feed.ts #live',
    'stream/feed.ts #slow',
    'stream/market-feeds.ts #followings',
    'stream/market-feeds.ts #subscriptions',
    'stream/server.ts #connections',
    'stream/session-server.ts #sessions',
    'stream/unproven-sessions.ts #bySubscriber',
    'stream/unproven-sessions.ts #subscribers',
  ],
  'only reads, reports, mass cancels and timers of accounts use it': [
    'intake/cancel-all-after.ts #set',
    'intake/cancel-all-after.ts #timers',
    'intake/cancel-all.ts #runs',
    'intake/cancel-all.ts pending',
    'intake/cancel-all.ts refusals',
    'intake/cancel-all.ts sessions',
    'intake/cost-reports.ts #asked',
    'intake/cost-reports.ts #loaded',
    'intake/read-job.ts #jobs',
    'intake/read-queue.ts #accounts',
    'intake/read-queue.ts waiting',
  ],
  'its key is a text, and a settled entry is emptied': ['intake/idempotency.ts #pending'],
  'it has entries only after a wait has ended without an answer': ['intake/order-gateway.ts #unresolved'],
  'it has entries only for batches, and for creates that wait for a price or for counts': [
    'intake/earlier-creates.ts #lines',
  ],
  'it has entries only for bodies that arrive in several parts': ['http/request-body.ts #deadlines'],
  'it gets one entry a second, and requests walk through it without a copy': [
    'http/auth/used-signatures.ts #slices',
    'http/auth/used-signatures.ts countByHolder',
  ],
  'it has entries only while the open orders of an account are read': ['risk/account-exposures.ts #readings'],
  'it has entries only before the first balances of an account': ['shard/accounts.ts waiting'],
  'it has entries only for orders that follow the book': ['shard/market-subscriptions.ts #depthSubscribers'],
  'it has entries only while orders wait for a volume profile': [
    'shard/strategy-host.ts #awaitingProfile',
    'shard/volume-profiles.ts waiting',
  ],
  'a new one replaces it after each use': ['stream/feeds.ts #gapped'],
};

/** Names of the members that keep a new Map or Set: fields, and members of objects. Sees no local one stored later. */
function keptMaps(fileName: string, text: string): string[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.ES2022, true);
  const found = new Set<string>();
  const visit = (node: ts.Node, member: string | null): void => {
    let own = member;
    if (ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) own = node.name.getText();
    else if (ts.isBinaryExpression(node) && ts.isPropertyAccessExpression(node.left)) own = node.left.name.text;
    else if (ts.isVariableDeclaration(node) || ts.isFunctionLike(node)) own = null;
    if (ts.isNewExpression(node) && /^(?:Map|Set)$/.test(node.expression.getText()) && own !== null) found.add(own);
    ts.forEachChild(node, (child) => visit(child, own));
  };
  visit(source, null);
  return [...found];
}

describe('Maps and Sets of the hot path', () => {
  it.each([
    ['class A { readonly #orders = new Map<number, Order>(); }', ['#orders']],
    ['class A { #recent = new Set(); clear() { this.#recent = new Set(); } }', ['#recent']],
    ['class A { constructor(rows) { this.byPath = new Map(rows); } }', ['byPath']],
    ['const entry = () => ({ waiting: new Set([1]) });', ['waiting']],
    ['class A { count(rows) { const seen = new Set(rows); return seen.size; } }', []],
    ['const NONE = new Map(); class A { readonly #orders = new NumberMap(); }', []],
  ])('finds the kept ones of %s', (text, members) => {
    expect(keptMaps('planted.ts', text)).toEqual(members);
  });

  it('each have a reason why their entries do no harm in dead tables', () => {
    const files = ROOMS.flatMap((room) =>
      readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
        .map((file) => `${room}/${file}`),
    );
    const kept = files.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return /new (?:Map|Set)\b/.test(text) ? keptMaps(file, text).map((member) => `${file} ${member}`) : [];
    });
    expect(kept.toSorted()).toEqual(Object.values(REASONS).flat().toSorted());
  });
});
