import { type OrRejection, reject } from '../../domain/rejection.js';

const REPLACEMENT_CHARACTER = '�';

/** Parses the bytes of a JSON body. The result wraps the value, so that a body cannot look like a rejection. */
export function parseJsonBody(bytes: Buffer): OrRejection<{ readonly value: unknown }> {
  const text = bytes.toString('utf8');
  // Decoding replaces invalid UTF-8. A body that contains the replacement character encodes back to the same bytes.
  if (text.includes(REPLACEMENT_CHARACTER) && !Buffer.from(text, 'utf8').equals(bytes)) {
    return reject('INVALID_REQUEST', 'the body is not UTF-8');
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return reject('INVALID_REQUEST', 'the body is not JSON');
  }
}
