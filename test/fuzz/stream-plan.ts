import type { Random } from '../torture/random.js';
import { mutatedBody } from './body-mutation.js';
import type { KnownWorld } from './known-world.js';
import type { SchemaSet } from './schema-set.js';
import { ValueSource } from './value-source.js';

/** One frame for the WebSocket library. */
export interface Sent {
  readonly data: string | Buffer;
  /** false: a fragment, and more follow. */
  readonly isLast?: boolean;
}

/** Actions of a stream client. After them it pings the service. */
export interface StreamPlan {
  readonly kind: 'stream';
  readonly name: string;
  readonly frames: readonly Sent[];
  /** Bytes written past the library: invalid frames, or frames that it would not send. */
  readonly raw: Buffer | null;
  /** True: the service may close the connection. */
  readonly isBeyondLimits: boolean;
}

const DEEP = 7_500;
const OVERSIZED_BYTES = 20_000;
const STORM_MESSAGES = 200;
const SUBSCRIPTIONS = ['AccountSubscription', 'MarketSubscription'] as const;

type Conduct = (subscription: () => string, random: Random, mutated: () => Buffer) => Partial<StreamPlan>;

/** Plans random actions of a stream client. `schemas`: of the service's AsyncAPI document. */
export function planStream(schemas: SchemaSet, world: KnownWorld, random: Random, nowMs: number): StreamPlan {
  const source = new ValueSource(schemas, world, random, nowMs);
  const request = () => {
    const schema = schemas.named(random.pick(SUBSCRIPTIONS));
    return { schema, value: source.value(schema, '') };
  };
  const subscription = (): string => JSON.stringify(request().value);
  const mutated = (): Buffer => {
    const { schema, value } = request();
    return mutatedBody(value, schema, schemas, random);
  };
  const [name, conduct] = random.pick(Object.entries(CONDUCTS));
  const plan = conduct(subscription, random, mutated);
  return { kind: 'stream', name, frames: [], raw: null, isBeyondLimits: false, ...plan };
}

/** Frames that break the protocol, and frames that clients rarely send. */
export const BROKEN_FRAMES: Readonly<
  Record<string, (random: Random) => Pick<StreamPlan, 'raw'> & Partial<StreamPlan>>
> = {
  'a continuation of nothing': () => ({ raw: frame(0x80, Buffer.from('{}')), isBeyondLimits: true }),
  'reserved bits': () => ({ raw: frame(0xf1, Buffer.from('{}')), isBeyondLimits: true }),
  'an unknown opcode': () => ({ raw: frame(0x83, Buffer.from('{}')), isBeyondLimits: true }),
  'a long ping': () => ({ raw: frame(0x89, Buffer.alloc(126)), isBeyondLimits: true }),
  'pings and pongs': () => ({
    raw: Buffer.concat(
      Array.from({ length: 50 }, (_, index) => frame(index % 2 === 0 ? 0x89 : 0x8a, Buffer.from('x'))),
    ),
  }),
  'an unmasked frame': () => ({ raw: Buffer.from([0x81, 2, 0x7b, 0x7d]), isBeyondLimits: true }),
  'a length that does not end': () => ({
    raw: Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    isBeyondLimits: true,
  }),
  'a close with a bad code': () => ({ raw: frame(0x88, Buffer.from([0, 1])), isBeyondLimits: true }),
  'random bytes': (random) => ({ raw: randomBytes(random), isBeyondLimits: true }),
};

const CONDUCTS: Readonly<Record<string, Conduct>> = {
  'a subscription': (subscription) => ({ frames: [{ data: subscription() }] }),
  'a mutated subscription': (_subscription, _random, mutated) => beyond(mutated().toString()),
  'mutated bytes': (_subscription, _random, mutated) => beyond(mutated()),
  'a storm of subscriptions': (subscription) => ({
    frames: Array.from({ length: STORM_MESSAGES }, () => ({ data: subscription() })),
  }),
  'one subscription over and over': (subscription) => {
    const data = subscription();
    return { frames: Array.from({ length: STORM_MESSAGES }, () => ({ data })) };
  },
  'unknown topics': (_subscription, random) => ({
    frames: ['everything', '', '__proto__', 'ORDER ', 'ticker/', '*'].map((topic) => ({
      data: JSON.stringify({
        topic,
        method: random.pick(['subscribe', 'unsubscribe', 'publish']),
        exchange: 'BINANCE',
      }),
    })),
  }),
  'a deep nest': (_subscription, random) => ({
    frames: [
      { data: '['.repeat(DEEP) + ']'.repeat(DEEP) },
      {
        data: `{"topic":"order","method":"subscribe","exchange":"BINANCE","x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
      },
      { data: '{"a":'.repeat(random.below(2000)) },
    ],
  }),
  'random text': (_subscription, random) => ({ frames: [{ data: randomBytes(random).toString('latin1') }] }),
  'random binary': (_subscription, random) => ({ frames: [{ data: randomBytes(random) }] }),
  'text that is no UTF-8': (_subscription, random) => ({
    raw: frame(0x81, randomBytes(random).subarray(0, 100)),
    isBeyondLimits: true,
  }),
  nothing: () => ({ frames: [{ data: '' }, { data: Buffer.alloc(0) }] }),
  fragments: (subscription, random) => {
    const text = subscription();
    const at = random.below(text.length);
    return {
      frames: [{ data: text.slice(0, at), isLast: false }, { data: '', isLast: false }, { data: text.slice(at) }],
    };
  },
  'a frame beyond the limit': () => ({ frames: [{ data: 'x'.repeat(OVERSIZED_BYTES) }], isBeyondLimits: true }),
  'fragments beyond the limit': () => ({
    frames: [
      ...Array.from({ length: 5 }, () => ({ data: 'x'.repeat(OVERSIZED_BYTES / 4), isLast: false })),
      { data: '' },
    ],
    isBeyondLimits: true,
  }),
  ...Object.fromEntries(
    Object.entries(BROKEN_FRAMES).map(([name, make]) => [name, (_text, random) => make(random)] as [string, Conduct]),
  ),
};

/** A mutated text may exceed the frame limit. */
function beyond(data: string | Buffer): Partial<StreamPlan> {
  return { frames: [{ data }], isBeyondLimits: data.length > OVERSIZED_BYTES / 4 };
}

export function randomBytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(500) }, () => random.below(256)));
}

/** Returns a masked frame of up to 65,535 bytes. The mask is zero, so the payload is unchanged. */
function frame(firstByte: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([firstByte, ...length, 0, 0, 0, 0]), payload]);
}
