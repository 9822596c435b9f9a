import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { ListenKeyCheck } from '../../src/http/gate.js';
import { SYSTEM_TIMERS } from '../../src/stream/port.js';
import type { SessionDeps, SessionServer } from '../../src/stream/session-port.js';
import { attachSessions } from '../../src/stream/session-server.js';
import { KEYS } from '../http/keys.js';
import { RunningServer } from '../http/running-server.js';
import { type Frame, StreamClient } from './stream-rig.js';
import { STREAM_SETTINGS } from './stream-settings.js';

type Overrides = NonNullable<Parameters<RunningServer['start']>[0]>;

/** Order entry and REST on one real port, with fakes for the rest of the service. */
export class SessionRig {
  readonly rest = new RunningServer();
  readonly revoked = new Set<string>();
  readonly suspended = new Set<string>();
  readonly faults: unknown[] = [];
  readonly #clients: StreamClient[] = [];
  #sessions: SessionServer | null = null;
  /** Added to the clock of the sessions. */
  aheadMs = 0;
  closedCount = 0;
  /** Those of them whose descriptors may still be open. */
  keptCount = 0;

  static async start(overrides: Overrides = {}, changes: Partial<SessionDeps> = {}): Promise<SessionRig> {
    const rig = new SessionRig();
    const realNowMs = (): number => rig.rest.realMs;
    const keys = {
      find: (apiKey: string) => (rig.revoked.has(apiKey) || rig.suspended.has(apiKey) ? null : KEYS.find(apiKey)),
      findSuspended: (apiKey: string) => (rig.suspended.has(apiKey) ? KEYS.find(apiKey) : null),
    };
    const check = new ListenKeyCheck({ verify: () => null, keys, realNowMs });
    await rig.rest.start({
      keys,
      attach: (app, nextRequestId, onClosed, entry) => {
        rig.#sessions = attachSessions(app, {
          settings: STREAM_SETTINGS,
          entry,
          starter: rig.rest.intake.cancelOnDisconnect,
          timers: { ...SYSTEM_TIMERS, nowMs: () => SYSTEM_TIMERS.nowMs() + rig.aheadMs },
          realNowMs,
          waitOf: () => 0,
          subscriberOf: () => null,
          hasBudgets: true,
          keyFailure: (holder) => check.failureOf(holder),
          refusals: rig.rest.refusals,
          onSocketClosed: (isDescriptorKept) => {
            rig.closedCount += 1;
            rig.keptCount += Number(isDescriptorKept);
            onClosed(isDescriptorKept);
          },
          nextRequestId,
          onFault: (error) => rig.faults.push(error),
          ...changes,
        });
      },
      ...overrides,
    });
    onTestFinished(async () => {
      for (const { socket } of rig.#clients) socket.terminate();
      rig.sessions.drain();
      await rig.rest.server.close(0);
    });
    return rig;
  }

  get sessions(): SessionServer {
    if (this.#sessions === null) throw new Error('not started');
    return this.#sessions;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.rest.server.port}/api/v2/ws/trade`;
  }

  /** Opens a socket without authentication. */
  async open(): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(this.url));
    this.#clients.push(client);
    await client.opened;
    return client;
  }

  /** The args of an authentication, signed like a POST with an empty body. */
  credentials(key = 'TRADER'): Record<string, unknown> {
    const headers = this.rest.signed('', key);
    return { api_key: key, timestamp: headers['X-TIMESTAMP'], sign: headers['X-SIGN'] };
  }

  /** Opens a session and authenticates it. */
  async session(key = 'TRADER'): Promise<StreamClient> {
    const client = await this.open();
    const answer = await ask(client, 'auth', this.credentials(key));
    if (answer['status'] !== 200) throw new Error(JSON.stringify(answer));
    return client;
  }
}

/** Sends one request and returns the next frame. */
export function ask(client: StreamClient, op: string, args?: unknown, id = 'a'): Promise<Frame> {
  client.send({ id, op, args });
  return client.next();
}

/** Code of the error in an answer. */
export function codeOf(answer: Frame): unknown {
  return (answer['error'] as Frame | undefined)?.['error_code'];
}
