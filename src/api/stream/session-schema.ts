import { Type } from '@sinclair/typebox';
import { ErrorAnswer } from '../document/service.js';
import { choice } from '../field/schema.js';
import { SESSION_REQUEST_ID_CHARACTERS_MAX } from '../../domain/limits/clients.js';
import { SESSION_OPERATIONS } from './session-request.js';

const OPS = Object.entries(SESSION_OPERATIONS);

const ARGS = [
  '- `auth`: `api_key`, `timestamp`, `recv_window` (optional), `sign`; for signature version 2 also `sign_version` and `nonce`. `sign` is that of a POST to this path with an empty body. `cancel_on_disconnect` (boolean): cancel the open orders of the session when it ends. `resume`: id of a session to continue. Other members are refused.',
  '- `ping`: none.',
  ...OPS.map(
    ([op, { method, path }]) =>
      `- \`${op}\`: the ${method === 'GET' ? 'query as an object' : 'body'} of \`${method} ${path}\`.`,
  ),
].join('\n');

const REQUEST_ID = Type.String({
  minLength: 1,
  maxLength: SESSION_REQUEST_ID_CHARACTERS_MAX,
  description: 'Chosen by the client and repeated in the answer. Printable characters. Need not be unique.',
});

export const SessionRequest = Type.Object(
  {
    id: REQUEST_ID,
    op: choice('SessionOp', ['auth', 'ping', ...OPS.map(([op]) => op)], 'The operation.'),
    args: Type.Optional(Type.Unknown({ description: ARGS })),
  },
  {
    title: 'SessionRequest',
    description: 'One request of a session. Requests are admitted in the order sent.',
    examples: [
      {
        id: '1',
        op: 'auth',
        args: { api_key: 'KEY', timestamp: 1_800_000_000_000, sign: 'BASE64', cancel_on_disconnect: true },
      },
      { id: 'c1', op: 'order.cancel', args: { order_id: 1_000_001 } },
      { id: 'q', op: 'order.byId', args: { orderIds: [1_000_001], include_trades: true } },
      { id: 'p', op: 'ping' },
    ],
  },
);

const GRANTED = { session: 'u7Yk1b0mQ2mCq0jWvZ3s1A', cancel_on_disconnect: true, resumed: false };

export const SessionAnswer = Type.Object(
  {
    id: Type.Union([Type.String(), Type.Null()], { description: 'That of the request; null: it had none.' }),
    op: Type.Union([Type.String(), Type.Null()], {
      description: 'That of the request, `pong` for a ping; null: it had none.',
    }),
    status: Type.Integer({ description: 'The status that REST answers.' }),
    data: Type.Optional(Type.Unknown({ description: 'The body that REST answers; absent from status 400 on.' })),
    error: Type.Optional(ErrorAnswer),
  },
  {
    title: 'SessionAnswer',
    description: 'The answer of one request, sent when it is known: not in the order of the requests.',
    examples: [
      { id: '1', op: 'auth', status: 200, data: { account: 'demo', permissions: ['read', 'trade'], ...GRANTED } },
      { id: 'p', op: 'pong', status: 200, data: { timestamp: 1_800_000_000_000 } },
    ],
  },
);
