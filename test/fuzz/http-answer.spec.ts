import { expect, it } from 'vitest';
import { readAnswer } from './http-answer.js';

const HEAD = 'HTTP/1.1 200 OK\r\nX-Request-Id: 1\r\nTransfer-Encoding: chunked\r\n\r\n';
const WHOLE = `${HEAD}3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`;

it('reads a chunked answer only when it is complete, and keeps the rest', () => {
  for (let count = 0; count < WHOLE.length; count += 1) {
    expect(readAnswer(Buffer.from(WHOLE.slice(0, count)), false).kind).toBe('incomplete');
  }
  const reading = readAnswer(Buffer.from(`${WHOLE}HTTP/1.1`), false);
  expect(reading).toMatchObject({ kind: 'answer', answer: { status: 200 } });
  if (reading.kind !== 'answer') return;
  expect([reading.answer.body.toString(), reading.rest.toString()]).toEqual(['abc0123456789', 'HTTP/1.1']);
});

it('reports chunks without a length as garbled', () => {
  expect(readAnswer(Buffer.from(`${HEAD}{"orders":[]}\r\n`), false)).toMatchObject({ kind: 'garbled' });
});
