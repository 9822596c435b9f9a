import type { SocketSession } from '../socket-server.js';

/** One connection to a stream host. */
export interface StreamSession {
  readonly socket: SocketSession;
  /** True when every frame names its stream: `{stream, data}`. */
  isCombined: boolean;
  /** Part of the host that the connection was opened on; null where there is only one. */
  readonly route: string | null;
  readonly names: Set<string>;
}

const SUBSCRIPTIONS_MAX = 1024;

interface StreamRequest {
  readonly method?: unknown;
  readonly params?: unknown;
  readonly id?: unknown;
}

/** Subscriptions of all connections of one stream host, by SUBSCRIBE and UNSUBSCRIBE or by the address. */
export class StreamHub {
  readonly #sessions = new Set<StreamSession>();
  readonly #section: string;

  constructor(section: string) {
    this.#section = section;
  }

  get sessions(): readonly StreamSession[] {
    return [...this.#sessions];
  }

  /** All names that any connection subscribed to. */
  names(): ReadonlySet<string> {
    return new Set(this.sessions.flatMap(({ names }) => [...names]));
  }

  open(socket: SocketSession, options: { names: readonly string[]; isCombined: boolean; route: string | null }): void {
    const session = { socket, isCombined: options.isCombined, route: options.route, names: new Set(options.names) };
    this.#sessions.add(session);
    socket.onMessage((text) => socket.write(JSON.stringify(answerTo(session, text))));
    socket.onClose(() => this.#sessions.delete(session));
  }

  /** Sends a frame to the subscribers of a stream, on the given part of the host. */
  publish(name: string, frame: object, route: string | null = null): void {
    for (const session of this.#sessions) {
      if (!session.names.has(name) || session.route !== route) continue;
      session.socket.send(`${this.#section} ${name}`, session.isCombined ? { stream: name, data: frame } : frame);
    }
  }

  /** Sends an event of an account to the subscribers of its listen key. The fault rules see the kind of the event. */
  publishPrivate(listenKey: string, frame: { readonly e: string }, route: string | null): void {
    for (const session of this.#sessions) {
      if (!session.names.has(listenKey) || session.route !== route) continue;
      session.socket.send(
        `${this.#section} ${frame.e}`,
        session.isCombined ? { stream: listenKey, data: frame } : frame,
      );
    }
  }
}

function answerTo(session: StreamSession, text: string): object {
  let request: StreamRequest;
  try {
    request = JSON.parse(text) as StreamRequest;
  } catch {
    return { error: { code: 3, msg: 'Invalid JSON: expected value at line 1 column 1' } };
  }
  const { method, params, id = null } = request;
  const names = Array.isArray(params) ? params.filter((name) => typeof name === 'string') : null;
  switch (method) {
    case 'SUBSCRIBE':
      if (names === null) break;
      if (session.names.size + names.length > SUBSCRIPTIONS_MAX) {
        return { error: { code: 2, msg: `Invalid request: too many subscriptions, at most ${SUBSCRIPTIONS_MAX}` }, id };
      }
      for (const name of names) session.names.add(name);
      return { result: null, id };
    case 'UNSUBSCRIBE':
      if (names === null) break;
      for (const name of names) session.names.delete(name);
      return { result: null, id };
    case 'LIST_SUBSCRIPTIONS':
      return { result: [...session.names], id };
    case 'SET_PROPERTY':
      if (!Array.isArray(params) || params[0] !== 'combined') break;
      session.isCombined = params[1] === true;
      return { result: null, id };
    case 'GET_PROPERTY':
      return { result: session.isCombined, id };
    default:
      return { error: { code: 2, msg: `Invalid request: unknown variant \`${String(method)}\`` }, id };
  }
  return { error: { code: 2, msg: 'Invalid request: wrong params' }, id };
}
