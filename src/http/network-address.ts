/** A peer's address as the socket tells it: 4 bytes of IPv4, 16 of IPv6. Headers are never asked: anybody can write them. */
const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
/** ::ffff:0:0/96 holds the IPv4 addresses of a socket that listens on IPv6. */
const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const LOOPBACK_NETWORK = 127;

/** The address without its mapping into IPv6, if it has one. */
export function networkAddress(raw: ArrayBuffer): Uint8Array {
  const bytes = new Uint8Array(raw);
  const isMapped = bytes.length === IPV6_BYTES && MAPPED_PREFIX.every((byte, index) => bytes[index] === byte);
  return isMapped ? bytes.subarray(MAPPED_PREFIX.length) : bytes;
}

/** True for 127.0.0.0/8 and ::1: this machine itself, or a proxy on it. */
export function isLoopback(address: Uint8Array): boolean {
  if (address.length === IPV4_BYTES) return address[0] === LOOPBACK_NETWORK;
  return address.every((byte, index) => byte === (index === IPV6_BYTES - 1 ? 1 : 0));
}

/** IPv4 with dots, IPv6 as eight groups of hexadecimal digits. */
export function addressText(address: Uint8Array): string {
  if (address.length === IPV4_BYTES) return address.join('.');
  const view = viewOf(address);
  const groups = Array.from({ length: IPV6_BYTES / 2 }, (_, index) => view.getUint16(2 * index).toString(16));
  return groups.join(':');
}

/** What one subscriber of a network holds: an IPv4 address, or the first half of an IPv6 address. A key for maps. */
export function subscriberOf(address: Uint8Array): number | bigint {
  const view = viewOf(address);
  return address.length === IPV4_BYTES ? view.getUint32(0) : view.getBigUint64(0);
}

function viewOf(address: Uint8Array): DataView {
  return new DataView(address.buffer, address.byteOffset, address.byteLength);
}
