import type { ChildNumber, OrderId } from '../../../domain/ids.js';

/** The name of a child inside Sluice: its parent order and its number within it. */
export interface ChildName {
  readonly orderId: OrderId;
  readonly child: ChildNumber;
}

/**
 * Translates between a child's name and the client order id of an exchange. It is bijective: decode(encode(name)) is
 * the name, and encode(decode(text)) is the text.
 */
export interface ClientIdCodec {
  /** The id that the exchange gets; null when the format has no place for this order id or this child number. */
  encode(orderId: OrderId, child: ChildNumber): string | null;
  /**
   * The child that an id of the exchange names; null when encode does not make this text, such as a foreign order's id.
   */
  decode(text: string): ChildName | null;
}

/** Child ids have at most 10 digits (parseChildClientId in src/domain/ids.ts). */
const CHILD_NUMBER_MAX = 9_999_999_999;
/** Digits of the largest order id, 2^53 - 1, and of the largest child number. */
const ORDER_ID_DIGITS = 16;
const CHILD_DIGITS = 10;

/** True for an order id in [1, 2^53) and a child number in [1, 10^10). */
function isChildName(orderId: number, child: number): boolean {
  return (
    Number.isSafeInteger(orderId) &&
    orderId >= 1 &&
    Number.isSafeInteger(child) &&
    child >= 1 &&
    child <= CHILD_NUMBER_MAX
  );
}

function childName(orderId: number, child: number): ChildName | null {
  return isChildName(orderId, child) ? { orderId: orderId as OrderId, child: child as ChildNumber } : null;
}

/**
 * `<prefix><order id><separator><child>` with decimal numbers: at most 26 characters, prefix and separator excluded.
 */
export function decimalCodec(prefix: string, separator: '-' | 'x'): ClientIdCodec {
  const form = new RegExp(
    `^${prefix}([1-9]\\d{0,${ORDER_ID_DIGITS - 1}})${separator}([1-9]\\d{0,${CHILD_DIGITS - 1}})$`,
  );
  return {
    encode: (orderId, child) => (isChildName(orderId, child) ? `${prefix}${orderId}${separator}${child}` : null),
    decode(text) {
      const match = form.exec(text);
      return match === null ? null : childName(Number(match[1]), Number(match[2]));
    },
  };
}

/** Bits of one integer that hold the order id (high) and the child number (low). */
interface IntegerLayout {
  readonly orderBits: number;
  readonly childBits: number;
}

/**
 * One positive decimal integer. Order ids or child numbers that need more bits than the layout has are refused. Nothing
 * in the integer marks it as ours: another client's integer with a child part above 0 decodes to some child.
 */
export function integerCodec({ orderBits, childBits }: IntegerLayout): ClientIdCodec {
  const orderEnd = 2 ** orderBits;
  const childEnd = 2 ** childBits;
  const shift = BigInt(childBits);
  const childMask = BigInt(childEnd - 1);
  const end = 1n << BigInt(orderBits + childBits);
  const form = new RegExp(`^[1-9]\\d{0,${(end - 1n).toString().length - 1}}$`);
  return {
    encode(orderId, child) {
      if (!isChildName(orderId, child) || orderId >= orderEnd || child >= childEnd) return null;
      return ((BigInt(orderId) << shift) | BigInt(child)).toString();
    },
    decode(text) {
      if (!form.test(text)) return null;
      const value = BigInt(text);
      return value < end ? childName(Number(value >> shift), Number(value & childMask)) : null;
    },
  };
}

/** Hexadecimal digits of an order id (53 bits) and of a child number (34 bits). */
const ORDER_HEX_DIGITS = 14;
const CHILD_HEX_DIGITS = 9;
/** The last seven digits of each 128-bit id of ours. A random foreign id ends like this once in 2^28. */
const MARK = '51c1ce5';
const HEX_FORM = new RegExp(`^([0-9a-f]{${ORDER_HEX_DIGITS}})([0-9a-f]{${CHILD_HEX_DIGITS}})${MARK}$`);

/** Order id, child number and mark: 30 hexadecimal digits in lower case. */
function hexOf(orderId: number, child: number): string | null {
  if (!isChildName(orderId, child)) return null;
  return (
    orderId.toString(16).padStart(ORDER_HEX_DIGITS, '0') + child.toString(16).padStart(CHILD_HEX_DIGITS, '0') + MARK
  );
}

function fromHex(digits: string): ChildName | null {
  const match = HEX_FORM.exec(digits);
  return match === null ? null : childName(parseInt(match[1] ?? '', 16), parseInt(match[2] ?? '', 16));
}

const UUID_FORM = /^([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/;

/** A UUID in lower case with the version digit 4 and the variant digit 8, which a check of the form accepts. */
export const UUID_CODEC: ClientIdCodec = {
  encode(orderId, child) {
    const hex = hexOf(orderId, child);
    if (hex === null) return null;
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18)}`;
  },
  decode(text) {
    const match = UUID_FORM.exec(text);
    return match === null ? null : fromHex(match.slice(1).join(''));
  },
};

/** 128 bits as `0x` and 32 hexadecimal digits in lower case; the first two digits are 0. */
export const HEX_128_CODEC: ClientIdCodec = {
  encode(orderId, child) {
    const hex = hexOf(orderId, child);
    return hex === null ? null : `0x00${hex}`;
  },
  decode: (text) => (text.startsWith('0x00') ? fromHex(text.slice(4)) : null),
};
