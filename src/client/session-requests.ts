import { CREATE_OPS, OrderSession, SESSION_OPS, SESSION_PATH } from './order-session.js';
import type { SessionCredentials } from './order-session.js';
import { type PlainRequest, SignedRequests, type SignedRequestsParts } from './signed-requests.js';
import { SluiceError } from './sluice-error.js';
import type { HttpAnswer } from './transport.js';

interface SessionOptions {
  /** Base address of the service. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly cancelOnDisconnect: boolean;
}

/** Requests of which those that enter, change and cancel orders go over a session. The others go over REST. */
export class SessionRequests extends SignedRequests {
  readonly #session: OrderSession;
  readonly #cancelsOnDisconnect: boolean;

  constructor(parts: SignedRequestsParts, options: SessionOptions) {
    super(parts);
    this.#cancelsOnDisconnect = options.cancelOnDisconnect;
    this.#session = new OrderSession({ ...options, credentials: () => credentialsBy(parts.sign) });
  }

  override close(): void {
    this.#session.close();
    super.close();
  }

  protected override async send(request: PlainRequest, content: unknown): Promise<HttpAnswer> {
    const [path = ''] = request.target.split('?', 1);
    const op = SESSION_OPS.get(path);
    if (op === undefined) return super.send(request, content);
    const answer = await this.#session.ask(op, content);
    // Over REST the order would stay open when the client is gone.
    if (answer === null && this.#cancelsOnDisconnect && CREATE_OPS.has(op)) throw noSession();
    return answer ?? super.send(request, content);
  }
}

/** The signature of a session, as members of its authentication. */
async function credentialsBy(sign: SignedRequestsParts['sign']): Promise<SessionCredentials> {
  const headers = await sign({ method: 'POST', target: SESSION_PATH, body: '' });
  return Object.fromEntries(SESSION_FIELDS.map(([field, header]) => [field, headers[header]]));
}

function noSession(): SluiceError {
  const message = 'there is no session with cancelOnDisconnect, or the order is too large for one; nothing was placed';
  return new SluiceError({ status: 0, code: 'NETWORK_ERROR', message, requestId: null });
}

const SESSION_FIELDS = [
  ['api_key', 'X-API-KEY'],
  ['timestamp', 'X-TIMESTAMP'],
  ['recv_window', 'X-RECV-WINDOW'],
  ['sign_version', 'X-SIGN-VERSION'],
  ['nonce', 'X-NONCE'],
  ['sign', 'X-SIGN'],
] as const;
