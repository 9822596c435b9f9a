import { SESSION_OPERATIONS } from '../../src/api/stream/session-request.js';
import { SESSION_FRAME_BYTES_MAX, SESSION_UNPROVEN_FRAMES_MAX } from '../../src/domain/limits/clients.js';
import type { Random } from '../torture/random.js';
import type { Operation } from './api-document.js';
import { mutatedBody } from './body-mutation.js';
import type { Sources } from './request-plan.js';
import { BROKEN_FRAMES, randomBytes, type Sent } from './stream-plan.js';
import { SchemaSet } from './schema-set.js';
import { type Json, ValueSource } from './value-source.js';

/** A request of a plan. Exactly one answer with its id must come. */
export interface Asked {
  readonly id: string;
  /** null: no operation of REST. */
  readonly operation: Operation | null;
}

/** Actions of a session client. After them it pings the service. */
export interface SessionPlan {
  readonly kind: 'session';
  readonly name: string;
  /** 'none': a new connection without authentication, where each request is answered with an error. */
  readonly authentication: 'done' | 'none';
  readonly frames: readonly Sent[];
  /** Bytes written past the library. */
  readonly raw: Buffer | null;
  readonly asked: readonly Asked[];
  /** True: the service may close the connection, or answer ids that are not in `asked`. */
  readonly isBeyondLimits: boolean;
  /** Most frames that the service may count as malformed. */
  readonly faultyCount: number;
}

const DEEP = 7_500;
const PIPELINED_MAX = 100;
const OVERSIZED_BYTES = 20_000;
const CLOSING_BYTES = 1024 * 1024 + 1;
const ID_CHARACTERS_MAX = 64;
const MEMBERS_MAX = 120;
/** A valid kill switch would block all further orders of the run. */
const OPS = Object.entries(SESSION_OPERATIONS).filter(([op]) => op !== 'killSwitch');
const HOSTILE: readonly unknown[] = [
  '',
  ' ',
  5,
  null,
  true,
  {},
  [],
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\ud800',
];

/** Makes the requests of one plan. Ids do not repeat those of earlier plans. */
class Requests {
  readonly random: Random;
  readonly #sources: Sources;
  readonly #values: ValueSource;
  readonly #prefix: string;
  #count = 0;

  constructor(sources: Sources, random: Random, nowMs: number) {
    this.random = random;
    this.#sources = sources;
    this.#values = new ValueSource(sources.document.schemas, sources.world, random, nowMs);
    this.#prefix = random.below(2 ** 32).toString(36);
  }

  id(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** A request of any operation, valid or with wrong args. */
  any(): { readonly asked: Asked; readonly data: string } {
    const [op, { path }] = this.random.pick(OPS);
    const operation = this.#sources.document.operations.find((one) => one.path === path) ?? null;
    const id = this.id();
    return { asked: { id, operation }, data: `{"id":"${id}","op":"${op}","args":${this.#args(operation)}}` };
  }

  #args(operation: Operation | null): string {
    const { random } = this;
    if (random.below(10) === 0) return JSON.stringify(random.pick(HOSTILE));
    if (operation === null || operation.body === null) return JSON.stringify(this.#query(operation));
    const value = this.#values.value(operation.body, '');
    if (random.below(2) === 0) return JSON.stringify(value);
    const text = mutatedBody(value, operation.body, this.#sources.document.schemas, random).toString();
    // Only the args are wrong here. A wrong frame is another conduct.
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      return JSON.stringify(text);
    }
  }

  #query(operation: Operation | null): Record<string, Json> {
    const parameters = (operation?.query ?? []).filter(() => this.random.below(2) === 0);
    return Object.fromEntries(parameters.map(({ name, schema }) => [name, this.#values.value(schema, name)]));
  }
}

const NO_SCHEMAS = new SchemaSet({ components: { schemas: {} } });

type Conduct = (requests: Requests) => Partial<SessionPlan>;

/** Plans random actions of a session client. */
export function planSession(sources: Sources, random: Random, nowMs: number): SessionPlan {
  const [name, conduct] = random.pick(Object.entries(CONDUCTS));
  const plan = conduct(new Requests(sources, random, nowMs));
  return {
    kind: 'session',
    name,
    authentication: 'done',
    frames: [],
    raw: null,
    asked: [],
    isBeyondLimits: false,
    faultyCount: 0,
    ...plan,
  };
}

function pipelined(requests: Requests, count: number, bytesMax = Infinity): Partial<SessionPlan> {
  const all = Array.from({ length: count }, () => requests.any());
  const made = all.filter(({ data }) => Buffer.byteLength(data) <= bytesMax);
  return { frames: made.map(({ data }) => ({ data })), asked: made.map(({ asked }) => asked) };
}

/** One frame with a request that is answered with an error by its id. */
function refused(id: string, data: string, more: Partial<SessionPlan> = {}): Partial<SessionPlan> {
  return { frames: [{ data }], asked: [{ id, operation: null }], faultyCount: 1, ...more };
}

/** Frames that the service answers in any way, or not at all. */
function loose(...frames: (string | Buffer)[]): Partial<SessionPlan> {
  return { frames: frames.map((data) => ({ data })), isBeyondLimits: true, faultyCount: frames.length };
}

const CONDUCTS: Readonly<Record<string, Conduct>> = {
  'a request': (requests) => pipelined(requests, 1),
  'some requests': (requests) => pipelined(requests, 1 + requests.random.below(PIPELINED_MAX / 10)),
  'many requests': (requests) => pipelined(requests, 1 + requests.random.below(PIPELINED_MAX)),
  'a large batch, then requests': (requests) => {
    const id = requests.id();
    const orders = Array.from({ length: 1 + requests.random.below(MEMBERS_MAX) }, () => ({ order_id: 1 }));
    const { frames = [], asked = [] } = pipelined(requests, 5);
    const batch = JSON.stringify({
      id,
      op: requests.random.pick(['order.cancelMany', 'order.createMany']),
      args: { orders },
    });
    return { frames: [{ data: batch }, ...frames], asked: [{ id, operation: null }, ...asked] };
  },
  'equal ids': (requests) => {
    const [first, second] = [requests.any(), requests.any()];
    const data = second.data.replace(second.asked.id, first.asked.id);
    const { id } = first.asked;
    return {
      frames: [{ data: first.data }, { data }],
      asked: [
        { id, operation: null },
        { id, operation: null },
      ],
    };
  },
  'hostile ids': ({ random }) =>
    loose(
      ...HOSTILE.map((id) => JSON.stringify({ id, op: 'order.open' })),
      JSON.stringify({ id: 'x'.repeat(ID_CHARACTERS_MAX + 1), op: 'order.open' }),
      JSON.stringify({ id: '𝄞'.repeat(1 + random.below(ID_CHARACTERS_MAX)), op: 'ping' }),
    ),
  'hostile ops': (requests) =>
    loose(
      ...HOSTILE.map((op) => JSON.stringify({ id: requests.id(), op })),
      JSON.stringify({ id: requests.id(), op: 'ORDER.CREATE' }),
      JSON.stringify({ id: requests.id(), op: 'order.create ' }),
      '{"op":"order.open"}',
      '{"id":"1"}',
    ),
  'a mutated frame': (requests) => {
    const schema = { type: 'object', properties: { id: { type: 'string' }, op: { type: 'string' } } };
    const value = JSON.parse(requests.any().data) as Json;
    return loose(mutatedBody(value, schema, NO_SCHEMAS, requests.random).toString());
  },
  'authentication again': (requests) => {
    const id = requests.id();
    return refused(id, JSON.stringify({ id, op: 'auth', args: { api_key: 'x', timestamp: Date.now(), sign: 'x' } }));
  },
  'requests before the authentication': (requests) => {
    // The ping after them is the last frame that the service takes. A larger frame would end the connection.
    const countMax = SESSION_UNPROVEN_FRAMES_MAX - 1;
    const made = pipelined(requests, 1 + requests.random.below(countMax), SESSION_FRAME_BYTES_MAX);
    const asked = (made.asked ?? []).map(({ id }) => ({ id, operation: null }));
    return { ...made, asked, authentication: 'none', faultyCount: asked.length };
  },
  'many frames before the authentication': (requests) => ({
    ...loose(...Array.from({ length: 2 * SESSION_UNPROVEN_FRAMES_MAX }, () => requests.any().data)),
    authentication: 'none',
  }),
  'a hostile authentication': (requests) => {
    const { random } = requests;
    const id = requests.id();
    const args = {
      api_key: random.pick(HOSTILE),
      timestamp: random.pick([Date.now(), ...HOSTILE]),
      sign: random.pick(HOSTILE),
      cancel_on_disconnect: random.pick([true, ...HOSTILE]),
      resume: random.pick(['an unknown session', 'x'.repeat(100), ...HOSTILE]),
    };
    const frame = JSON.stringify({ id, op: 'auth', args: random.pick([args, ...HOSTILE]) });
    return { ...loose(frame), authentication: 'none' };
  },
  'a request beyond the limit': (requests) => {
    const id = requests.id();
    return refused(id, JSON.stringify({ id, op: 'order.create', args: 'x'.repeat(OVERSIZED_BYTES) }));
  },
  'a frame beyond the limit': () => loose('x'.repeat(CLOSING_BYTES)),
  'a frame beyond the limit before the authentication': () => ({
    ...loose('x'.repeat(OVERSIZED_BYTES)),
    authentication: 'none',
  }),
  'a deep nest': (requests) =>
    loose(
      '['.repeat(DEEP),
      `{"id":"1","op":"order.create","args":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
      requests.id(),
    ),
  'random text': ({ random }) => loose(randomBytes(random).toString('latin1')),
  'random binary': ({ random }) => loose(randomBytes(random)),
  'a request as a binary frame': (requests) => loose(Buffer.from(requests.any().data)),
  nothing: () => loose('', Buffer.alloc(0)),
  'a fragmented request': (requests) => {
    const { asked, data } = requests.any();
    const at = requests.random.below(data.length);
    return {
      frames: [{ data: data.slice(0, at), isLast: false }, { data: '', isLast: false }, { data: data.slice(at) }],
      asked: [asked],
    };
  },
  'keep-alive': () => ({ frames: [{ data: '{"topic":"ping"}' }, { data: '{"topic":"pong"}' }] }),
  ...Object.fromEntries(
    Object.entries(BROKEN_FRAMES).map(([name, make]): [string, Conduct] => [
      name,
      ({ random }) => ({ raw: make(random).raw, isBeyondLimits: true, faultyCount: 1 }),
    ]),
  ),
};
