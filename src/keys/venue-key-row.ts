import { VENUE_API_KEY_CHARACTERS_MAX, VENUE_KEY_LABEL_CHARACTERS_MAX } from '../domain/limits/process.js';
import { VENUE_KEY_KINDS, type VenueKeyKind, type VenueKeyPlace } from './port.js';
import type { Vault } from './vault.js';
import { textProblem, type VenueSecret } from './venue-key-form.js';

/** The public part of a new key. */
export interface VenueKeyRequest {
  readonly place: VenueKeyPlace;
  readonly apiKey: string;
  readonly label: string | null;
  /** Real time, epoch milliseconds; null: never. */
  readonly expiresAtMs: number | null;
}

/** The public part of a stored key. */
export interface VenueKeyHeader extends Omit<VenueKeyRequest, 'place'> {
  readonly kind: VenueKeyKind;
  readonly createdAtMs: number;
}

/*
 * Rows of the table:
 *
 *   generation                                → number of changes of the table
 *   <venue>/<environment>/<account>/<subaccount> → length of the header (2 bytes), header (JSON), sealed secret
 *
 * The text after the last slash is empty for the account itself. It may have slashes; the other names have none. The
 * row key and the header are authenticated with the secret, so no row opens in another place or with another header.
 */
export const GENERATION = 'generation';

export function rowKeyOf({ venue, environment, account, subaccount }: VenueKeyPlace): string {
  return `${venue}/${environment}/${account}/${subaccount ?? ''}`;
}

export function placeOf(rowKey: string): VenueKeyPlace {
  const [venue = '', environment = '', account = '', ...rest] = rowKey.split('/');
  const subaccount = rest.join('/');
  return { venue, environment, account, subaccount: subaccount === '' ? null : subaccount } as VenueKeyPlace;
}

/** Text of a place in messages. */
export function describePlace({ account, subaccount, venue, environment }: VenueKeyPlace): string {
  return `account ${account}${subaccount === null ? '' : `, sub-account ${subaccount},`} at ${venue} ${environment}`;
}

const LENGTH_BYTES = 2;

function headerBytesOf(row: Buffer): Buffer {
  return row.subarray(LENGTH_BYTES, LENGTH_BYTES + (row.length < LENGTH_BYTES ? 0 : row.readUInt16BE()));
}

/** The public part of a row; null: it is damaged. A changed row may have a valid header: only opening it shows that. */
export function headerOf(row: Buffer): VenueKeyHeader | null {
  try {
    const header = JSON.parse(headerBytesOf(row).toString()) as VenueKeyHeader;
    return isHeader(header) ? header : null;
  } catch {
    return null;
  }
}

/** False for values that `add` stores never. They would end a listing, or control the terminal. */
function isHeader({ apiKey, label, kind, createdAtMs, expiresAtMs }: VenueKeyHeader): boolean {
  return (
    textProblem(Buffer.from(apiKey), VENUE_API_KEY_CHARACTERS_MAX) === null &&
    (label === null || isLabel(label)) &&
    VENUE_KEY_KINDS.includes(kind) &&
    isTime(createdAtMs) &&
    (expiresAtMs === null || isTime(expiresAtMs))
  );
}

/** The last instant of a Date. */
const EPOCH_MS_MAX = 8.64e15;

function isTime(epochMs: unknown): boolean {
  return typeof epochMs === 'number' && Math.abs(epochMs) <= EPOCH_MS_MAX;
}

/** Additional authenticated data of a secret. Latin-1 keeps each byte of the header apart. */
function purposeOf(rowKey: string, header: Buffer): string {
  return `venue-key:${rowKey}\n${header.toString('latin1')}`;
}

export function sealRow(
  vault: Vault,
  rowKey: string,
  header: VenueKeyHeader,
  { bytes, passphrase }: VenueSecret,
): Buffer {
  const headerBytes = Buffer.from(JSON.stringify(header));
  const plain = Buffer.concat([lengthOf(bytes), bytes, passphrase ?? Buffer.alloc(0)]);
  const sealed = vault.seal(plain, purposeOf(rowKey, headerBytes));
  plain.fill(0);
  return Buffer.concat([lengthOf(headerBytes), headerBytes, sealed]);
}

function lengthOf(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(bytes.length);
  return length;
}

/** The secret parts of a row. The caller overwrites `plain`, which the others are views of. */
export interface OpenedRow {
  readonly plain: Buffer;
  readonly secret: Buffer;
  /** Empty: the key has none. */
  readonly passphrase: Buffer;
}

/** null: the row was sealed for another place or by another master key, or it was changed. */
export function openRow(vault: Vault, rowKey: string, row: Buffer): OpenedRow | null {
  const header = headerBytesOf(row);
  const plain = vault.open(row.subarray(LENGTH_BYTES + header.length), purposeOf(rowKey, header));
  if (plain === null) return null;
  const end = LENGTH_BYTES + plain.readUInt16BE();
  return { plain, secret: plain.subarray(LENGTH_BYTES, end), passphrase: plain.subarray(end) };
}

const LABEL = new RegExp(String.raw`^[^\p{C}\p{Zl}\p{Zp}]{1,${VENUE_KEY_LABEL_CHARACTERS_MAX}}$`, 'u');

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
