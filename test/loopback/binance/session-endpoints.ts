import { ApiError, missing } from './api-error.js';
import type { Identity } from './signing.js';
import type { ApiSession, SessionEndpoint } from './socket-api.js';

/** Logon of a session, which takes an Ed25519 key, and its end. */
export function logonEndpoints(): readonly SessionEndpoint[] {
  return [
    {
      socket: 'session.logon',
      isSigned: true,
      run: (session, { identity, nowMs }) => {
        if (identity?.key.publicKey === null) throw new ApiError(-4056, 'HMAC_SHA256 API key is not supported.');
        session.identity = identity;
        session.authorizedAtMs = nowMs;
        return statusOf(session, nowMs);
      },
    },
    { socket: 'session.status', isSigned: false, run: (session, { nowMs }) => statusOf(session, nowMs) },
    {
      socket: 'session.logout',
      isSigned: false,
      run: (session, { nowMs }) => {
        session.identity = null;
        session.authorizedAtMs = null;
        return statusOf(session, nowMs);
      },
    },
  ];
}

function statusOf({ identity, authorizedAtMs, connectedAtMs }: ApiSession, nowMs: number): object {
  return {
    apiKey: identity?.key.key ?? null,
    authorizedSince: authorizedAtMs,
    connectedSince: connectedAtMs,
    returnRateLimits: true,
    serverTime: nowMs,
    userDataStream: false,
  };
}

/** User data streams on the sessions of the spot socket API. One session may follow several accounts. */
export class SessionSubscriptions {
  readonly #subscriptions = new Map<ApiSession, Map<number, number>>();
  readonly #section: string;
  #lastId = -1;

  constructor(section: string) {
    this.#section = section;
  }

  get endpoints(): readonly SessionEndpoint[] {
    return [
      {
        socket: 'userDataStream.subscribe',
        isSigned: false,
        run: (session) => {
          if (session.identity === null) {
            throw new ApiError(-2015, 'Invalid API-key, IP, or permissions for action.', { status: 401 });
          }
          return this.#subscribe(session, session.identity);
        },
      },
      {
        socket: 'userDataStream.subscribe.signature',
        isSigned: true,
        run: (session, { identity }) => this.#subscribe(session, identity!),
      },
      {
        socket: 'userDataStream.unsubscribe',
        isSigned: false,
        run: (session, { parameters }) => {
          const id = parameters.integer('subscriptionId');
          const own = this.#subscriptions.get(session);
          if (id === null) own?.clear();
          else if (own?.delete(id) !== true) throw missing('subscriptionId');
          return {};
        },
      },
      {
        socket: 'session.subscriptions',
        isSigned: false,
        run: (session) =>
          [...(this.#subscriptions.get(session)?.keys() ?? [])].map((subscriptionId) => ({ subscriptionId })),
      },
    ];
  }

  closed(session: ApiSession): void {
    this.#subscriptions.delete(session);
  }

  publish(account: number, frame: { readonly e: string }): void {
    for (const [session, subscriptions] of this.#subscriptions) {
      for (const [subscriptionId, owner] of subscriptions) {
        if (owner === account) session.socket.send(`${this.#section} ${frame.e}`, { subscriptionId, event: frame });
      }
    }
  }

  #subscribe(session: ApiSession, { account }: Identity): object {
    const own = this.#subscriptions.get(session) ?? new Map<number, number>();
    this.#lastId += 1;
    own.set(this.#lastId, account.id);
    this.#subscriptions.set(session, own);
    return { subscriptionId: this.#lastId };
  }
}
