import type { Random } from '../torture/random.js';

/** Bytes for a separate connection, and how the connection ends. */
export interface BrokenPlan {
  readonly kind: 'broken';
  readonly name: string;
  /** Written one after the other, with a pause between them. */
  readonly pieces: readonly Buffer[];
  readonly end: 'wait' | 'half close' | 'cut off';
}

const PING = 'GET /status/ping HTTP/1.1\r\nHost: a\r\n\r\n';
const FLOOD_LINES = 500;
const LONG_CHARACTERS = 64 * 1024;
const PIECES_MAX = 20;
const ENDS = ['wait', 'half close', 'cut off'] as const;

type Breaker = (valid: Buffer, random: Random) => Buffer | Buffer[];

/** Breaks a valid request as HTTP. */
export function breakRequest(valid: Buffer, random: Random): BrokenPlan {
  const [name, make] = random.pick(Object.entries(BREAKERS));
  const pieces = make(valid, random);
  return { kind: 'broken', name, pieces: Array.isArray(pieces) ? pieces : [pieces], end: random.pick(ENDS) };
}

const BREAKERS: Readonly<Record<string, Breaker>> = {
  'a part': (valid, random) => valid.subarray(0, random.below(valid.length)),
  'a part of the head': (valid, random) => valid.subarray(0, random.below(headEnd(valid))),
  'small pieces': (valid, random) => pieces(valid, 1 + random.below(PIECES_MAX)),
  'a longer Content-Length': (valid) => withLength(valid, (length) => String(length + 10)),
  'a shorter Content-Length': (valid) => withLength(valid, (length) => String(Math.max(0, length - 5))),
  'an invalid Content-Length': (valid, random) =>
    withLength(valid, () =>
      random.pick(['', '-1', '0x10', '1e3', ' 5', '5 ', '+5', '5,5', '99999999999999999999', 'abc', '05']),
    ),
  'Content-Length twice': (valid, random) => withLine(valid, `Content-Length: ${random.pick(['0', '5', '1000000'])}`),
  'Transfer-Encoding': (valid, random) =>
    withLine(
      valid,
      `Transfer-Encoding: ${random.pick(['chunked', 'Chunked', 'xchunked', 'gzip, chunked', ' chunked', 'identity'])}`,
    ),
  chunks: () =>
    Buffer.from(
      `POST /status/ping HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n0\r\n\r\n`,
    ),
  'two hosts': (valid) => withLine(valid, 'Host: b'),
  'no host': (valid) => replaced(valid, 'Host: localhost\r\n', ''),
  'a line without a colon': (valid) => withLine(valid, 'no colon here'),
  'a folded line': (valid) => withLine(valid, 'X-Folded: a\r\n b'),
  'a blank before the colon': (valid) => withLine(valid, 'X-Blank : a'),
  'an invalid header name': (valid, random) =>
    withLine(valid, `${random.pick(['__proto__', 'X_A', 'x.a', 'x!#$', '', 'é'])}: a`),
  'a control character': (valid, random) => withLine(valid, `X-Control: ${String.fromCodePoint(random.below(32))}`),
  'bare line feeds': (valid) => replaced(valid, '\r\n', '\n'),
  'bare carriage returns': (valid) => replaced(valid, '\r\n', '\r'),
  'a line end in the target': (valid) => replaced(valid, ' HTTP/1.1', '\r\nX-Injected: 1 HTTP/1.1'),
  'another version': (valid, random) =>
    replaced(valid, 'HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1.1', 'http/1.1', ''])),
  'a flood of headers': (valid) => withLine(valid, 'X-Flood: a\r\n'.repeat(FLOOD_LINES).trimEnd()),
  'a long header': (valid) => withLine(valid, `X-Long: ${'x'.repeat(LONG_CHARACTERS)}`),
  'a long target': (valid) => replaced(valid, ' HTTP/1.1', `${'x'.repeat(LONG_CHARACTERS)} HTTP/1.1`),
  'a pipeline': (valid, random) => Buffer.concat(Array.from({ length: 2 + random.below(30) }, () => valid)),
  'a pipeline that breaks': (valid, random) => Buffer.concat([valid, Buffer.from(PING), randomBytes(random), valid]),
  'a smuggled request': (valid) => Buffer.concat([withLength(valid, () => '4'), Buffer.from(PING)]),
  'a flipped byte': (valid, random) => {
    const bytes = Buffer.from(valid);
    bytes[random.below(headEnd(valid))] = random.below(256);
    return bytes;
  },
  'random bytes': (_valid, random) => randomBytes(random),
  'another protocol': (_valid, random) =>
    Buffer.from(
      random.pick([
        '\u0016\u0003\u0001\u0002\0\u0001',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'SSH-2.0-x\r\n',
        '\r\n\r\n\r\n',
        '\0'.repeat(100),
      ]),
      'latin1',
    ),
  'an invalid handshake': (_valid, random) =>
    Buffer.from(
      `GET /api/v2/ws${random.pick(['', '?listenKey=x', '?listenKey=%00', `?listenKey=${'x'.repeat(9000)}`])} HTTP/1.1\r\nHost: a\r\n` +
        `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${random.pick(['', 'x', 'dGhlIHNhbXBsZSBub25jZQ=='])}\r\nSec-WebSocket-Version: ${random.pick(['13', '8', ''])}\r\n\r\n`,
    ),
};

function randomBytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(2000) }, () => random.below(256)));
}

function headEnd(request: Buffer): number {
  return request.indexOf('\r\n\r\n') + 4;
}

/** Adds a header line after the request line. */
function withLine(request: Buffer, line: string): Buffer {
  const at = request.indexOf('\r\n') + 2;
  return Buffer.concat([request.subarray(0, at), Buffer.from(`${line}\r\n`, 'latin1'), request.subarray(at)]);
}

function withLength(request: Buffer, change: (length: number) => string): Buffer {
  const text = request.toString('latin1');
  const found = /Content-Length: (\d+)/.exec(text);
  if (found === null) return withLine(request, `Content-Length: ${change(0)}`);
  return Buffer.from(text.replace(found[0], `Content-Length: ${change(Number(found[1]))}`), 'latin1');
}

/** Replaces all occurrences in the head. */
function replaced(request: Buffer, part: string, other: string): Buffer {
  const end = headEnd(request);
  const head = request.toString('latin1', 0, end).replaceAll(part, other);
  return Buffer.concat([Buffer.from(head, 'latin1'), request.subarray(end)]);
}

function pieces(bytes: Buffer, count: number): Buffer[] {
  const length = Math.ceil(bytes.length / count);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}
