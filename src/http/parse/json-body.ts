import { reject, type OrRejection } from '../../model/rejection.js';

const REPLACEMENT_CHARACTER = '�';

/** Parses the bytes of a JSON body. The value is wrapped: what a client sends must not pass for a rejection of ours. */
export function parseJsonBody(bytes: Buffer): OrRejection<{ readonly value: unknown }> {
  const text = bytes.toString('utf8');
  // Decoding replaces what is no UTF-8; a body that really holds the replacement character encodes back to itself.
  if (text.includes(REPLACEMENT_CHARACTER) && !Buffer.from(text, 'utf8').equals(bytes)) {
    return reject('INVALID_REQUEST', 'the body is not UTF-8');
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return reject('INVALID_REQUEST', 'the body is not JSON');
  }
}
