import { afterEach, describe, expect, it } from 'vitest';
import { ErrorAnswer } from '../../src/api/document/service.js';
import type { EngagedKillSwitch } from '../../src/domain/risk-limit.js';
import { OrderEntry, TradingGate } from '../../src/intake/trading-gate.js';
import type { AccountId } from '../../src/domain/ids.js';
import { isRejected, type Rejection } from '../../src/domain/rejection.js';
import { openIdentity, type Identity } from '../../src/runtime/identity.js';
import { createBody } from '../http/orders.js';
import type { Answer } from '../http/running-server.js';
import { temporaryDataDir } from '../keys/data-dir.js';
import { RiskRig } from '../risk/risk-rig.js';
import { ask, SessionRig } from '../stream/session-rig.js';
import type { Frame } from '../stream/stream-rig.js';
import { closed, complaintsOf } from './compiled.js';
import { sendSigned, type SigningKey } from './signed-client.js';

/*
 * decisions §4: "Where the code is general, bodies and summaries add `reason` […] so that a program can act on it."
 */

const ORDER = '/api/v2/trading/order';
const CREATE = `${ORDER}/create`;
const MANY = `${ORDER}/createMany`;
const ENGAGED: EngagedKillSwitch = { scope: 'account', engagedAtMs: 1_800_000_000_000, by: 'OPERATOR' };
const isErrorAnswer = closed(ErrorAnswer);

/** A server with real risk limits and a real trading gate. */
class RefusingService {
  readonly risk = new RiskRig();
  readonly gate = new TradingGate();
  #sessions: SessionRig | null = null;

  static async start(): Promise<RefusingService> {
    const service = new RefusingService();
    const { risk, gate } = service;
    const entry = new OrderEntry({ risk: risk.gate, gate, storedState: () => null });
    const haltOf = (account: AccountId): Rejection | null => gate.refusalOf(account);
    service.#sessions = await SessionRig.start({ commands: entry, reviews: entry, haltOf });
    return service;
  }

  get sessions(): SessionRig {
    if (this.#sessions === null) throw new Error('not started');
    return this.#sessions;
  }

  /** The answers to one create: over REST, as members of a batch, by a preview, and in a session. */
  async answers(): Promise<Readonly<Record<'rest' | 'batch' | 'preview' | 'session', Frame>>> {
    const { rest } = this.sessions;
    const body = createBody({ strategy: 'MARKET', params: {} });
    const session = await this.sessions.session();
    return {
      rest: contentOf(await rest.post(CREATE, body)),
      batch: contentOf(await rest.post(MANY, { orders: [body, body] })),
      preview: contentOf(await rest.post(`${ORDER}/preview`, body)),
      session: await ask(session, 'order.create', body),
    };
  }
}

function contentOf({ text }: Answer): Frame {
  return JSON.parse(text) as Frame;
}

const REFUSED_BY = {
  switch: { status: 'REJECTED', error_code: 'OTHER', reason: 'KILL_SWITCH' },
  limit: { status: 'REJECTED', error_code: 'INVALID_EXCHANGE', reason: 'RISK_LIMIT' },
} as const;

describe('a refused order carries the reason', () => {
  it('KILL_SWITCH, over REST, in a batch, in a preview and in a session', async () => {
    const service = await RefusingService.start();
    service.risk.killSwitch = ENGAGED;
    const { rest, batch, preview, session } = await service.answers();
    expect(rest).toMatchObject(REFUSED_BY.switch);
    expect(batch).toMatchObject({ orders: [REFUSED_BY.switch, REFUSED_BY.switch] });
    expect(preview['rejections']).toContainEqual(
      expect.objectContaining({ error_code: 'OTHER', reason: 'KILL_SWITCH' }),
    );
    expect(session).toMatchObject({ status: 201, data: REFUSED_BY.switch });
  });

  it('RISK_LIMIT, and the code of the limit', async () => {
    const service = await RefusingService.start();
    service.risk.setLimits({ allowedExchanges: ['OKX'] });
    const { rest, batch, preview, session } = await service.answers();
    expect(rest).toMatchObject(REFUSED_BY.limit);
    expect(batch).toMatchObject({ orders: [REFUSED_BY.limit, REFUSED_BY.limit] });
    expect(preview['rejections']).toContainEqual(expect.objectContaining({ reason: 'RISK_LIMIT' }));
    expect(session).toMatchObject({ status: 201, data: REFUSED_BY.limit });
  });

  it('TRADING_HALTED, as an error of the request', async () => {
    const service = await RefusingService.start();
    service.gate.halt({ reason: 'DISK_FULL', sinceMs: 0, message: 'the disk is full', exempt: [] });
    const { rest, batch, preview, session } = await service.answers();
    const halted = { error_code: 'SYSTEM_BUSY', reason: 'TRADING_HALTED' };
    for (const body of [rest, batch]) {
      expect(body).toMatchObject(halted);
      expect(complaintsOf(isErrorAnswer, body)).toBe('');
    }
    expect(preview['rejections']).toContainEqual(expect.objectContaining(halted));
    expect(session).toMatchObject({ status: 503, error: halted });
  });

  it('SHUTTING_DOWN, as an error of the request', async () => {
    const service = await RefusingService.start();
    service.sessions.rest.server.stopAccepting();
    const { rest, batch, session } = await service.answers();
    const ending = { error_code: 'SYSTEM_BUSY', reason: 'SHUTTING_DOWN' };
    for (const body of [rest, batch]) expect(body).toMatchObject(ending);
    expect(session).toMatchObject({ status: 503, error: ending });
    const one = await service.sessions.session();
    service.sessions.sessions.drain();
    expect(await one.closed).toMatchObject({ code: 1001 });
  });

  it('none where the code says it', async () => {
    const service = await RefusingService.start();
    const answer = contentOf(await service.sessions.rest.post(CREATE, createBody({ side: 'HOLD' })));
    expect(answer).toMatchObject({ status: 'REJECTED', error_code: 'INVALID_PARAM' });
    expect(answer).not.toHaveProperty('reason');
  });
});

async function bodyOf(answer: Promise<Answer>): Promise<unknown> {
  const { status, text } = await answer;
  return { status, ...(JSON.parse(text) as object) };
}

const EXPIRES_AT_MS = 1_800_000_000_000 + 3_600_000;

describe('a key that may no longer be used', () => {
  let identity: Identity;
  afterEach(() => identity.close());

  /** A service with stored keys, and a key that expires at EXPIRES_AT_MS. */
  async function start(): Promise<{ rig: SessionRig; key: SigningKey & { readonly secret: string } }> {
    identity = openIdentity(temporaryDataDir());
    const rig = await SessionRig.start({ keys: identity.directory });
    const made = identity.keys.createKey(
      { account: 'desk', permissions: ['trade'], kind: 'HMAC', expiresAtMs: EXPIRES_AT_MS },
      rig.rest.realMs,
    );
    if (isRejected(made)) throw new Error(made.rejection.message);
    return { rig, key: { apiKey: made.apiKey, secret: made.apiSecret ?? '' } };
  }

  it('is refused as suspended once its signature is right, and before that like any other key', async () => {
    const { rig, key } = await start();
    identity.keys.suspendAll(rig.rest.realMs);
    const get = (more = {}): Promise<unknown> => bodyOf(sendSigned(rig.rest, key, `${ORDER}/open`, more));
    const suspended = {
      status: 401,
      error_code: 'INVALID_API_KEY',
      reason: 'KEY_SUSPENDED',
      message: expect.stringMatching(/^X-API-KEY is suspended .*; server time is \d+$/) as string,
    };
    expect(await get()).toMatchObject(suspended);
    const post = { body: JSON.stringify(createBody()) };
    expect(await bodyOf(sendSigned(rig.rest, key, CREATE, post))).toMatchObject(suspended);
    expect(rig.rest.book.placedCount).toBe(0);
    // Without a right signature nothing shows the suspension.
    const forged = { status: 401, error_code: 'INVALID_SIGNATURE' };
    for (const more of [{ signed: 'x' }, { headers: { 'X-SIGN': '' } }]) {
      const refused = await get(more);
      expect(refused).toMatchObject(forged);
      expect(refused).not.toHaveProperty('reason');
      expect(JSON.stringify(refused)).not.toMatch(/suspend/i);
    }
    identity.keys.confirm(key.apiKey);
    expect(await get()).toMatchObject({ status: 200 });
  });

  it('is refused as expired, also when it is suspended; a revoked key is unknown', async () => {
    const { rig, key } = await start();
    const get = (more = {}): Promise<unknown> => bodyOf(sendSigned(rig.rest, key, `${ORDER}/open`, more));
    rig.rest.realMs = EXPIRES_AT_MS;
    const expired = { status: 401, error_code: 'INVALID_API_KEY', reason: 'KEY_EXPIRED' };
    expect(await get()).toMatchObject(expired);
    expect(await get({ signed: 'x' })).toMatchObject({ error_code: 'INVALID_SIGNATURE' });
    identity.keys.suspendAll(rig.rest.realMs);
    expect(await get()).toMatchObject(expired);
    identity.keys.revoke(key.apiKey, rig.rest.realMs);
    const revoked = await get();
    expect(revoked).toMatchObject({
      error_code: 'INVALID_API_KEY',
      message: expect.stringContaining('X-API-KEY is not a known key') as string,
    });
    expect(revoked).not.toHaveProperty('reason');
  });
});

describe('a session of a suspended key', () => {
  it('is refused with the reason at its start', async () => {
    const rig = await SessionRig.start();
    rig.suspended.add('TRADER');
    const client = await rig.open();
    expect(await ask(client, 'auth', rig.credentials())).toMatchObject({
      status: 401,
      error: { error_code: 'INVALID_API_KEY', reason: 'KEY_SUSPENDED' },
    });
    expect(await client.closed).toMatchObject({ code: 1008 });
    const forged = await rig.open();
    const answer = await ask(forged, 'auth', { ...rig.credentials(), sign: 'eA==' });
    expect(answer).toMatchObject({ status: 401, error: { error_code: 'INVALID_SIGNATURE' } });
  });

  it('is closed with 1008 and says so', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.suspended.add('TRADER');
    expect(await client.closed).toEqual({
      code: 1008,
      reason: 'the API key is suspended after a restore until the operator confirms it',
    });
  });
});
