/** One received answer. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [^\r\n]+$/;

export type Reading =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly rest: Buffer }
  | { readonly kind: 'incomplete' }
  /** The bytes are not HTTP. */
  | { readonly kind: 'garbled'; readonly line: string };

/** Reads one answer from the start of the received bytes. Skips interim answers (1xx). */
export function readAnswer(received: Buffer, isHead: boolean): Reading {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) return { kind: 'incomplete' };
  const [line = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(STATUS_LINE.exec(line)?.[1] ?? 0);
  if (status === 0) return { kind: 'garbled', line };
  const bodyStart = headEnd + HEAD_END.length;
  if (status < 200)
    return status === 101 ? end(status, lines, received) : readAnswer(received.subarray(bodyStart), isHead);
  const headers = headersOf(lines);
  if (!isHead && headers.get('transfer-encoding') === 'chunked') {
    return readChunks(received, bodyStart, { status, headers });
  }
  const isClosing = headers.get('connection') === 'close';
  const declared = headers.get('content-length');
  // Without a length the body ends with the connection.
  const length = isHead ? 0 : declared === undefined && isClosing ? received.length - bodyStart : Number(declared ?? 0);
  if (received.length < bodyStart + length) return { kind: 'incomplete' };
  const body = received.subarray(bodyStart, bodyStart + length);
  return { kind: 'answer', answer: { status, headers, body }, rest: received.subarray(bodyStart + length) };
}

/** Reads a chunked body: each chunk follows its length in hexadecimal, the last one is empty. */
function readChunks(received: Buffer, bodyStart: number, head: Omit<Answer, 'body'>): Reading {
  const chunks: Buffer[] = [];
  for (let at = bodyStart; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd === -1) return { kind: 'incomplete' };
    const line = received.toString('latin1', at, lineEnd);
    if (!/^[0-9a-fA-F]+$/.test(line)) return { kind: 'garbled', line };
    const start = lineEnd + 2;
    const end = start + Number.parseInt(line, 16);
    if (received.length < end + 2) return { kind: 'incomplete' };
    if (received.toString('latin1', end, end + 2) !== '\r\n') return { kind: 'garbled', line };
    if (end === start) {
      return { kind: 'answer', answer: { ...head, body: Buffer.concat(chunks) }, rest: received.subarray(end + 2) };
    }
    chunks.push(received.subarray(start, end));
    at = end + 2;
  }
}

/** Reads all answers of one connection. `garbled` is the first line that is not HTTP. */
export function readAnswers(received: Buffer, isHead: boolean): { answers: Answer[]; garbled: string | null } {
  const answers: Answer[] = [];
  let rest = received;
  for (;;) {
    const reading = readAnswer(rest, isHead);
    if (reading.kind === 'garbled') return { answers, garbled: reading.line };
    if (reading.kind === 'incomplete') return { answers, garbled: null };
    answers.push(reading.answer);
    rest = reading.rest;
  }
}

/** No HTTP follows a switch of protocols. */
function end(status: number, lines: readonly string[], received: Buffer): Reading {
  const answer = { status, headers: headersOf(lines), body: Buffer.alloc(0) };
  return { kind: 'answer', answer, rest: received.subarray(received.length) };
}

function headersOf(lines: readonly string[]): Map<string, string> {
  return new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
