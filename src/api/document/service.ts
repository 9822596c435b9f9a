import { Type } from '@sinclair/typebox';
import { ApiErrorCode, ApiErrorReason } from '../field/error-code.js';
import { choice, described, epochMs } from '../field/schema.js';
import { HALT_REASONS } from '../../domain/command.js';
import { TRADING_STATES } from '../../domain/trading-state.js';
import { KillSwitch } from '../account/risk-limits.js';
import { ExchangeMode, LiveMode } from '../field/vocabulary.js';
import type { OpenOperation } from './operation.js';

const STATUS = { group: 'Status', contentType: 'application/json', isProbe: false, isGuarded: false } as const;

const DOCUMENT = { group: 'Documents', contentType: 'application/json', isProbe: false, isGuarded: false } as const;

const anObject = Type.Object({}, { additionalProperties: true });

const realTime = epochMs("Real time of the server's clock; X-TIMESTAMP is compared with it.");

const serviceTime = epochMs(
  'Service time, the time of orders and exchanges. It equals real time unless SLUICE_SIM_SPEED is set.',
);

export const Ping = Type.Object(
  { status: Type.Literal('ok'), timestamp: realTime, service_time: serviceTime },
  { title: 'Ping' },
);

export const PING = {
  ...STATUS,
  id: 'ping',
  path: '/status/ping',
  summary: 'Liveness and server time',
  description: 'Needs no key.',
  success: { status: 200, description: 'The service is alive.', schema: Ping },
} as const satisfies OpenOperation;

const TradingState = choice(
  'TradingState',
  TRADING_STATES,
  'Whether orders are accepted, by halts and kill switches together.\n' +
    '- `OPEN`: of every account.\n' +
    '- `PARTLY_HALTED`: except of accounts with an engaged kill switch or a halt of their own.\n' +
    '- `HALTED`: of no account, or only of the exempt accounts of a halt.',
);

const Trading = Type.Object(
  {
    state: TradingState,
    halts: Type.Array(
      Type.Object({
        reason: Type.Union(HALT_REASONS.map((reason) => Type.Literal(reason))),
        since: epochMs('When the halt began.'),
        message: Type.String({ description: 'For people: the cause, and the condition that ends the halt.' }),
        exempt_count: Type.Integer({ minimum: 0, description: 'Accounts that may still trade.' }),
        halted_count: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Accounts that are halted alone. Absent: all but the exempt ones.' }),
        ),
      }),
    ),
    kill_switches: Type.Object(
      {
        service: KillSwitch,
        account_count: Type.Integer({ minimum: 0, description: 'Engaged kill switches of single accounts.' }),
      },
      { description: 'An engaged kill switch refuses orders with OTHER and the reason KILL_SWITCH.' },
    ),
  },
  {
    description:
      'During a halt, creates, resumes and amendments that add quantity answer 503 SYSTEM_BUSY with the reason ' +
      'TRADING_HALTED, and no child order is placed. Reads and cancels work.',
  },
);

const DETAIL = 'The parts that are up, or the parts that the service waits for, and what stops orders.';

export const Health = Type.Object(
  {
    status: Type.Literal('ok'),
    version: Type.String({ description: 'The release.', examples: ['0.1.0'] }),
    mode: described(ExchangeMode, 'LIVE: the exchanges of `live_modes` are real, and no other exchange takes orders.'),
    live_modes: Type.Record(Type.String(), LiveMode, { description: 'The real exchanges with their modes.' }),
    ready: Type.Boolean({ description: 'true: recovery is over, as `/status/ready` says by its status.' }),
    detail: Type.String({ description: DETAIL }),
    trading: Trading,
    quarantined_orders: Type.Integer({
      minimum: 0,
      description: 'Open orders that are quarantined. See OrderDetails.',
    }),
    timestamp: realTime,
    service_time: serviceTime,
    clock: Type.Object({
      offset_ms: Type.Number({ description: 'Service time − wall clock.' }),
      error_ms: Type.Number({
        description:
          'Part of the offset that does not come from the simulated speed. Service time is slewed until it is 0.',
      }),
      pace: Type.Number({ description: 'Service milliseconds per real millisecond.' }),
      wall_steps: Type.Number({ description: 'Steps of the wall clock since the start.' }),
      last_step_ms: Type.Number({ description: 'The latest step; positive when the clock was set forward.' }),
    }),
    disk: Type.Object({
      state: Type.Union([Type.Literal('OK'), Type.Literal('LOW'), Type.Literal('FULL')], {
        description: 'LOW: nearly full. FULL: no order is placed, cancels and reads work.',
      }),
      free_bytes: Type.Number({ description: 'Free space of the disk of the data directory.' }),
    }),
  },
  { title: 'Health' },
);

export const HEALTH = {
  ...STATUS,
  id: 'health',
  path: '/status/health',
  summary: 'State of the service and its parts',
  description: 'Always answers 200. Needs no key.',
  success: { status: 200, description: 'The state.', schema: Health },
} as const satisfies OpenOperation;

const Ready = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
    detail: Type.String({ description: DETAIL }),
    trading_state: TradingState,
  },
  { title: 'Ready' },
);

export const READY = {
  ...STATUS,
  isProbe: true,
  id: 'ready',
  path: '/status/ready',
  summary: 'Readiness for orders',
  description:
    '503 during recovery and during shutdown. During a halt, or with an engaged kill switch, it is 200: cancels and reads work. `trading_state` says whether orders are accepted. Needs no key.',
  success: { status: 200, description: 'The service accepts requests.', schema: Ready },
} as const satisfies OpenOperation;

export const METRICS = {
  ...STATUS,
  contentType: 'text/plain',
  isGuarded: true,
  id: 'metrics',
  path: '/metrics',
  summary: 'Metrics of the service',
  description:
    'Text format of Prometheus. A request from this machine that names it in `Host` needs no token. Every other request, ' +
    'also through a proxy on this machine, needs `Authorization: Bearer` with the token of `SLUICE_METRICS_TOKEN`.',
  success: { status: 200, description: 'The metrics.', schema: Type.String() },
} as const satisfies OpenOperation;

export const OPENAPI = {
  ...DOCUMENT,
  id: 'openapi',
  path: '/openapi.json',
  summary: 'This description',
  description: 'OpenAPI 3.1. Needs no key.',
  success: { status: 200, description: 'The document.', schema: anObject },
} as const satisfies OpenOperation;

export const ASYNCAPI = {
  ...DOCUMENT,
  id: 'asyncapi',
  path: '/asyncapi.json',
  summary: 'The description of the WebSocket',
  description: 'AsyncAPI 3. Needs no key.',
  success: { status: 200, description: 'The document.', schema: anObject },
} as const satisfies OpenOperation;

export const CONSOLE = {
  ...DOCUMENT,
  contentType: 'text/html',
  id: 'console',
  path: '/console',
  summary: 'Operator page: live orders and their actions',
  description:
    'The page needs no key. Its data needs a key, which is entered in the page and stays in its memory. Permission read is enough for a view.',
  success: { status: 200, description: 'The page.', schema: Type.String() },
} as const satisfies OpenOperation;

export const DOCS = {
  ...DOCUMENT,
  contentType: 'text/html',
  id: 'docs',
  path: '/docs',
  summary: 'This description as a page',
  description:
    'Signs and sends requests with a key that is entered in the page and stays in its memory. `/docs/websocket` is the page of the WebSockets, `/docs/errors` that of the error codes. Needs no key.',
  success: { status: 200, description: 'The page.', schema: Type.String() },
} as const satisfies OpenOperation;

export const ErrorAnswer = Type.Object(
  {
    error_code: ApiErrorCode,
    message: Type.String({ description: 'For people: the field, its value and the rule.' }),
    reason: Type.Optional(ApiErrorReason),
    request_id: Type.String({ description: 'The value of the header X-Request-Id.' }),
  },
  {
    title: 'Error',
    description: 'The body of every answer with a status of 400 and above.',
    examples: [{ error_code: 'INVALID_REQUEST', message: 'the body is not JSON', request_id: '5c2ff61b8a-1z' }],
  },
);
