import { BODY_BYTES_MAX } from '../../domain/limits/clients.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import { parseJsonBody } from './json-body.js';
import { jsonFaultOf } from './json-fault.js';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses the bytes of a file that contains the body of a request. Skips a byte order mark. INVALID_REQUEST as for a
 * body, also when the file is larger than a body may be: the message names the file, and line and column of the fault.
 */
export function parseJsonFile(bytes: Buffer, file: string): OrRejection<{ readonly value: unknown }> {
  const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const content = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  if (content.length > BODY_BYTES_MAX) {
    return reject(
      'INVALID_REQUEST',
      `${file}: the file has ${content.length} bytes; at most ${BODY_BYTES_MAX} are read`,
    );
  }
  const body = parseJsonBody(content);
  if (!isRejected(body)) return body;
  const text = content.toString('utf8');
  const fault = jsonFaultOf(text);
  const place = fault === null ? file : `${file}, ${placeOf(text, fault.at)}`;
  return reject(body.rejection.code, `${place}: ${body.rejection.message}`);
}

/** Line and column of a place in a text, both from 1. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`;
}
