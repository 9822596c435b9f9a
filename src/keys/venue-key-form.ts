import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Venue } from '../domain/exchange.js';
import {
  RSA_MODULUS_BITS_MAX,
  RSA_MODULUS_BITS_MIN,
  VENUE_PASSPHRASE_BYTES_MAX,
  VENUE_SECRET_BYTES_MAX,
} from '../domain/limits/process.js';
import { isRejected, type OrRejection, reject, type Rejected } from '../domain/rejection.js';
import type { VenueKeyKind } from './port.js';

/** Sets of characters. Each pattern is for one character, so that no text of a secret is made. */
const CHARACTERS = {
  'letters and digits': /^[A-Za-z0-9]$/,
  'letters, digits and underscores': /^\w$/,
  'hexadecimal digits': /^[0-9A-Fa-f]$/,
  'hexadecimal digits and dashes': /^[0-9A-Fa-f-]$/,
  'Base64 characters': /^[A-Za-z0-9+/=]$/,
} as const;

interface TextForm {
  readonly of: keyof typeof CHARACTERS;
  /** Absent: any. */
  readonly count?: number;
  /** Characters before the others. */
  readonly prefix?: string;
  /** True: another text is refused. Absent: it is accepted with a warning, because the exchange may change it. */
  readonly isFixed?: boolean;
}

/** Keys of one exchange. */
interface KeyForm {
  readonly kinds: readonly VenueKeyKind[];
  readonly hasPassphrase?: boolean;
  readonly apiKey?: TextForm;
  /** Of a secret that is no private key in PEM. */
  readonly secret?: TextForm;
}

/**
 * Kinds and passphrases are those of the exchanges' documents and of client libraries; B2C2's token is not confirmed.
 * Counts and sets of characters are of known keys and no promise of the exchanges, so they give a warning only.
 */
const FORMS: Readonly<Record<Venue, KeyForm>> = {
  BINANCE: {
    kinds: ['HMAC', 'ED25519', 'RSA'],
    apiKey: { of: 'letters and digits', count: 64 },
    secret: { of: 'letters and digits', count: 64 },
  },
  HUOBI: { kinds: ['HMAC'], apiKey: { of: 'hexadecimal digits and dashes' } },
  BYBIT: { kinds: ['HMAC', 'RSA'], apiKey: { of: 'letters and digits' }, secret: { of: 'letters and digits' } },
  KUCOIN: {
    kinds: ['HMAC'],
    hasPassphrase: true,
    apiKey: { of: 'hexadecimal digits', count: 24 },
    secret: { of: 'hexadecimal digits and dashes', count: 36 },
  },
  OKX: {
    kinds: ['HMAC'],
    hasPassphrase: true,
    apiKey: { of: 'hexadecimal digits and dashes', count: 36 },
    secret: { of: 'hexadecimal digits', count: 32 },
  },
  GATEIO: {
    kinds: ['HMAC'],
    apiKey: { of: 'hexadecimal digits', count: 32 },
    secret: { of: 'hexadecimal digits', count: 64 },
  },
  // Kraken's secret is used as the bytes that its Base64 encodes.
  KRAKEN: {
    kinds: ['HMAC'],
    apiKey: { of: 'Base64 characters', count: 56 },
    secret: { of: 'Base64 characters', isFixed: true },
  },
  BITGET: { kinds: ['HMAC', 'RSA'], hasPassphrase: true, apiKey: { of: 'letters, digits and underscores' } },
  WOO: { kinds: ['HMAC'] },
  MEXC: { kinds: ['HMAC'], apiKey: { of: 'letters and digits' } },
  BULLISH: { kinds: ['HMAC'] },
  B2C2: { kinds: ['TOKEN'] },
  HYPERLIQUID: {
    kinds: ['WALLET'],
    apiKey: { of: 'hexadecimal digits', count: 40, prefix: '0x', isFixed: true },
    secret: { of: 'hexadecimal digits', count: 64, isFixed: true },
  },
  COINBASE_PRIME: { kinds: ['HMAC'], hasPassphrase: true },
  COINBASE_INTL: { kinds: ['HMAC'], hasPassphrase: true, secret: { of: 'Base64 characters' } },
};

/** True when the exchange's keys have a passphrase. */
export function hasPassphrase(venue: Venue): boolean {
  return FORMS[venue].hasPassphrase ?? false;
}

/** A secret that passed all checks. `wipe` overwrites it. */
export interface VenueSecret {
  readonly kind: VenueKeyKind;
  /** PKCS #8 in DER for a private key in PEM, otherwise the text. */
  readonly bytes: Buffer;
  readonly passphrase: Buffer | null;
  /** Sentences about a form that is unusual for the exchange. */
  readonly warnings: readonly string[];
  wipe(): void;
}

/** Checks the form of an API key at an exchange. Returns the warnings. No message contains the key. */
export function checkApiKeyForm(venue: Venue, apiKey: string): OrRejection<readonly string[]> {
  return checkForm('API key', venue, Buffer.from(apiKey), FORMS[venue].apiKey);
}

/**
 * Checks a secret: a private key in PEM, or the text of the exchange. Copies what it keeps. No message contains a part
 * of the secret.
 */
export function checkVenueSecret(
  venue: Venue,
  apiKey: string,
  secret: Buffer,
  passphrase: Buffer | null,
): OrRejection<VenueSecret> {
  const { kinds } = FORMS[venue];
  const phrase = checkPassphrase(venue, passphrase);
  if (isRejected(phrase)) return phrase;
  const isPem = secret.subarray(0, 5).equals(PEM_BEGIN);
  const found = isPem ? privateKeyOf(venue, secret) : textSecretOf(venue, secret);
  if (isRejected(found)) return found;
  const { kind, bytes, warnings } = found;
  if (!kinds.includes(kind)) {
    bytes.fill(0);
    const allowed = `keys of ${venue} are ${kinds.join(', ')}`;
    return reject(
      'INVALID_PARAM',
      isPem ? `the private key is ${kind}, but ${allowed}` : `the secret is no PEM, but ${allowed}`,
    );
  }
  if (bytes.equals(Buffer.from(apiKey))) {
    bytes.fill(0);
    return reject('INVALID_PARAM', 'the secret equals the API key');
  }
  const wipe = (): void => {
    bytes.fill(0);
    phrase?.fill(0);
  };
  return { kind, bytes, passphrase: phrase, warnings, wipe };
}

interface FoundSecret {
  readonly kind: VenueKeyKind;
  readonly bytes: Buffer;
  readonly warnings: readonly string[];
}

const PEM_BEGIN = Buffer.from('-----');

function textSecretOf(venue: Venue, secret: Buffer): OrRejection<FoundSecret> {
  const wrong = textProblem(secret, VENUE_SECRET_BYTES_MAX);
  if (wrong !== null) return reject('INVALID_PARAM', `the secret ${wrong}`);
  const { kinds, secret: form } = FORMS[venue];
  const kind = kinds[0] ?? 'HMAC';
  const isPrefixed = kind === 'WALLET' && secret.subarray(0, 2).equals(Buffer.from('0x'));
  const bytes = Buffer.from(secret.subarray(isPrefixed ? 2 : 0));
  const warnings = checkForm('secret', venue, bytes, form);
  return isRejected(warnings) ? warnings : { kind, bytes, warnings };
}

function wrongKey(what: string): Rejected {
  return reject('INVALID_PARAM', `the private key ${what}`);
}

function privateKeyOf(venue: Venue, pem: Buffer): OrRejection<FoundSecret> {
  if (pem.length > VENUE_SECRET_BYTES_MAX) return wrongKey(`is longer than ${VENUE_SECRET_BYTES_MAX} bytes`);
  if (pem.includes('PUBLIC KEY-----')) return wrongKey(`is missing: this is a public key, which ${venue} has`);
  if (pem.includes('ENCRYPTED')) return wrongKey('is encrypted; decrypt it first, for example with openssl pkey');
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return wrongKey('cannot be read as a PEM');
  }
  const type = key.asymmetricKeyType ?? 'unknown';
  if (type !== 'rsa' && type !== 'ed25519') return wrongKey(`is of type ${type}, not rsa or ed25519`);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (type === 'rsa' && (bits < RSA_MODULUS_BITS_MIN || bits > RSA_MODULUS_BITS_MAX)) {
    return wrongKey(`has ${bits} bits; the allowed range is ${RSA_MODULUS_BITS_MIN} to ${RSA_MODULUS_BITS_MAX}`);
  }
  const bytes = key.export({ format: 'der', type: 'pkcs8' });
  return { kind: type === 'rsa' ? 'RSA' : 'ED25519', bytes, warnings: [] };
}

function checkPassphrase(venue: Venue, passphrase: Buffer | null): OrRejection<Buffer | null> {
  if (hasPassphrase(venue) !== (passphrase !== null)) {
    const rule = hasPassphrase(venue)
      ? 'has a passphrase, which is missing; on standard input it is the last line'
      : 'has no passphrase';
    return reject('INVALID_PARAM', `a key of ${venue} ${rule}`);
  }
  if (passphrase === null) return null;
  const wrong = textProblem(passphrase, VENUE_PASSPHRASE_BYTES_MAX, ' ');
  return wrong === null ? Buffer.from(passphrase) : reject('INVALID_PARAM', `the passphrase ${wrong}`);
}

/** Describes what is wrong with a text of printable ASCII; null: nothing. `also`: a further allowed inner character. */
export function textProblem(text: Uint8Array, bytesMax: number, also = ''): string | null {
  if (text.length === 0) return 'is empty';
  if (text.length > bytesMax) return `is longer than ${bytesMax} bytes`;
  const ends = [text[0], text.at(-1)];
  if (ends.includes(SPACE)) return 'begins or ends with a space';
  if (text.includes(LINE_FEED) || text.includes(CARRIAGE_RETURN)) return 'has a line break';
  const isAllowed = (byte: number): boolean => (byte > SPACE && byte < DELETE) || byte === also.charCodeAt(0);
  return text.every(isAllowed) ? null : 'has a character that is a space, a control character or not ASCII';
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const DELETE = 127;

function checkForm(
  what: string,
  venue: Venue,
  text: Buffer,
  form: TextForm | undefined,
): OrRejection<readonly string[]> {
  if (form === undefined || hasForm(text, form)) return [];
  const { of, count, prefix, isFixed = false } = form;
  const described = `${prefix === undefined ? '' : `${prefix} and `}${count === undefined ? '' : `${count} `}${of}`;
  if (isFixed) return reject('INVALID_PARAM', `the ${what} does not have the form of ${venue}: ${described}`);
  const length = count === undefined || text.length === count ? '' : `; this one has ${text.length} characters`;
  return [`the ${what} of ${venue} usually has ${described}${length}`];
}

function hasForm(text: Buffer, { of, count, prefix = '' }: TextForm): boolean {
  if (!text.subarray(0, prefix.length).equals(Buffer.from(prefix))) return false;
  const rest = text.subarray(prefix.length);
  if (count !== undefined && rest.length !== count) return false;
  return rest.every((byte) => CHARACTERS[of].test(String.fromCharCode(byte)));
}
