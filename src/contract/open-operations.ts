import { Type } from '@sinclair/typebox';
import type { OpenOperation } from './operation.js';
import { Health, Ping, Ready } from './service-answer.js';

const STATUS = { group: 'Status', contentType: 'application/json', isProbe: false, isGuarded: false } as const;
const DOCUMENT = { group: 'Documents', contentType: 'application/json', isProbe: false, isGuarded: false } as const;
const anObject = Type.Object({}, { additionalProperties: true });

export const PING = {
  ...STATUS,
  id: 'ping',
  path: '/status/ping',
  summary: 'Is it alive, and what time is it',
  description: 'Needs no key.',
  success: { status: 200, description: 'It is.', schema: Ping },
} as const satisfies OpenOperation;

export const HEALTH = {
  ...STATUS,
  id: 'health',
  path: '/status/health',
  summary: 'What is up, and what is waited for',
  description: 'Answers 200 as long as it answers at all. Needs no key.',
  success: { status: 200, description: 'How it is.', schema: Health },
} as const satisfies OpenOperation;

export const READY = {
  ...STATUS,
  isProbe: true,
  id: 'ready',
  path: '/status/ready',
  summary: 'Does it take orders',
  description: '503 until recovery is over, and again while it shuts down. Needs no key.',
  success: { status: 200, description: 'It does.', schema: Ready },
} as const satisfies OpenOperation;

export const METRICS = {
  ...STATUS,
  contentType: 'text/plain',
  isGuarded: true,
  id: 'metrics',
  path: '/metrics',
  summary: 'What is counted and measured',
  description:
    'In the text format of Prometheus. Answers whoever asks from the machine itself, a proxy on it included; from ' +
    'elsewhere only with `Authorization: Bearer` and the token that the service was started with (`SLUICE_METRICS_TOKEN`).',
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
  summary: 'Operator page: orders live, and what may be done to them',
  description:
    'Needs no key itself; what it shows needs one, which is pasted into the page and stays in its memory. Permission read suffices to look.',
  success: { status: 200, description: 'The page.', schema: Type.String() },
} as const satisfies OpenOperation;

export const DOCS = {
  ...DOCUMENT,
  contentType: 'text/html',
  id: 'docs',
  path: '/docs',
  summary: 'This description as a page',
  description:
    'Signs and sends requests with a key that is pasted into the page and stays in its memory. Needs no key.',
  success: { status: 200, description: 'The page.', schema: Type.String() },
} as const satisfies OpenOperation;
