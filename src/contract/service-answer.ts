import { Type } from '@sinclair/typebox';
import { HALT_REASONS } from '../model/trading-halt.js';
import { ApiErrorCode } from './error-code.js';
import { epochMs } from './field.js';

export const ErrorAnswer = Type.Object(
  {
    error_code: ApiErrorCode,
    message: Type.String({ description: 'For people: what was wrong, with the value and the rule.' }),
    request_id: Type.String({ description: 'The same as in the header X-Request-Id.' }),
  },
  {
    title: 'Error',
    description: 'The body of every answer with a status of 400 and above.',
    examples: [{ error_code: 'INVALID_REQUEST', message: 'the body is not JSON', request_id: '5c2ff61b8a-1z' }],
  },
);

const realTime = epochMs("Real time of the server's clock: what X-TIMESTAMP is compared with.");
const serviceTime = epochMs(
  'Service time: what orders and exchanges live by. Real time, unless SLUICE_SIM_SPEED says otherwise.',
);

export const Ping = Type.Object(
  { status: Type.Literal('ok'), timestamp: realTime, service_time: serviceTime },
  { title: 'Ping' },
);

const Trading = Type.Object(
  {
    state: Type.Union([Type.Literal('OPEN'), Type.Literal('HALTED')]),
    halts: Type.Array(
      Type.Object({
        reason: Type.Union(HALT_REASONS.map((reason) => Type.Literal(reason))),
        since: epochMs('When the halt began.'),
        message: Type.String({ description: 'For people: what has happened, and what ends the halt.' }),
        exempt_count: Type.Integer({ minimum: 0, description: 'Accounts that trade all the same.' }),
      }),
    ),
  },
  {
    description:
      'While trading is HALTED, creates, resumes and amendments that add quantity answer 503 SYSTEM_BUSY, and no child ' +
      'order is placed. Reads and cancels work.',
  },
);

export const Health = Type.Object(
  {
    status: Type.Literal('ok'),
    ready: Type.Boolean(),
    detail: Type.String({ description: 'What is up, or what is waited for.' }),
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
          'Part of the offset that the simulated speed does not explain. Service time is slewed until it is gone.',
      }),
      pace: Type.Number({ description: 'Service milliseconds a real millisecond.' }),
      wall_steps: Type.Number({ description: 'Steps of the wall clock since the start.' }),
      last_step_ms: Type.Number({ description: 'The latest of them; positive when the clock was put forward.' }),
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

export const Ready = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
    detail: Type.String({ description: 'What is up, or what is waited for.' }),
  },
  { title: 'Ready' },
);
