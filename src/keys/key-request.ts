import { createPublicKey, type KeyObject } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { ALLOWED_NETWORKS_MAX, RSA_MODULUS_BITS_MAX, RSA_MODULUS_BITS_MIN } from '../domain/limits/process.js';
import { type OrRejection, reject } from '../domain/rejection.js';

const RSA_EXPONENT_MIN = 65_537n;
const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof ADDRESS_BITS;

/** Networks that a key may be used from. An IPv4 address mapped into IPv6 counts as the IPv4 address. */
export class NetworkList {
  readonly #networks = new BlockList();

  /** Takes the texts that `parseNetworks` accepted. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/');
      const family = familyOf(address);
      this.#networks.addSubnet(address, bits === undefined ? ADDRESS_BITS[family] : Number(bits), family);
    }
  }

  includes(address: string): boolean {
    return this.#networks.check(address, familyOf(address));
  }
}

/** At most ALLOWED_NETWORKS_MAX addresses or CIDR networks, IPv4 or IPv6: 10.0.0.0/8, 192.0.2.7, 2001:db8::/32. */
export function parseNetworks(networks: readonly string[]): OrRejection<readonly string[]> {
  if (networks.length > ALLOWED_NETWORKS_MAX) {
    return reject('INVALID_PARAM', `allow_ip has ${networks.length} networks; the maximum is ${ALLOWED_NETWORKS_MAX}`);
  }
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong === undefined) return networks;
  const rule = 'an IPv4 or IPv6 address, or a network such as 10.0.0.0/8 or 2001:db8::/32';
  return reject('INVALID_PARAM', `allow_ip ${JSON.stringify(wrong)} is not ${rule}`);
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  // A zone (fe80::1%eth0) names an interface of one machine. The address of a client has none.
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= ADDRESS_BITS[familyOf(address)]);
}

function familyOf(address: string): Family {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** The text of an SPKI PEM and nothing else. node:crypto reads the first block and ignores everything around it. */
const SPKI_PEM = /^-----BEGIN PUBLIC KEY-----[\s\w+/=]+-----END PUBLIC KEY-----$/;

/**
 * Returns the canonical SPKI PEM of an RSA public key of 2048 to 8192 bits, with an odd exponent of at least 65537. A
 * signature with exponent 1 is the message itself: it needs no private key. Refuses a private key, which node:crypto
 * would accept, and a second block: its owner must learn that a private key was sent.
 */
export function parseRsaPublicKey(pem: string): OrRejection<string> {
  const text = pem.trim();
  if (!SPKI_PEM.test(text)) {
    const form = '"-----BEGIN PUBLIC KEY-----" and "-----END PUBLIC KEY-----"';
    return reject('INVALID_PARAM', `rsa_public_key is not one SPKI PEM; such a file is one block between ${form}`);
  }
  try {
    const key = createPublicKey({ key: text, format: 'pem', type: 'spki' });
    if (key.asymmetricKeyType !== 'rsa') {
      return reject('INVALID_PARAM', `rsa_public_key is a key of type ${key.asymmetricKeyType}, not rsa`);
    }
    const weakness = rsaWeakness(key);
    if (weakness !== null) return reject('INVALID_PARAM', `rsa_public_key has ${weakness}`);
    return key.export({ format: 'pem', type: 'spki' }).toString();
  } catch {
    return reject('INVALID_PARAM', 'rsa_public_key cannot be read as an SPKI PEM');
  }
}

/**
 * What of an RSA public key breaks the rules of size and exponent; null: nothing. Earlier releases stored such keys.
 */
export function rsaWeakness(key: KeyObject): string | null {
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (bits < RSA_MODULUS_BITS_MIN || bits > RSA_MODULUS_BITS_MAX) {
    return `${bits} bits; the allowed range is ${RSA_MODULUS_BITS_MIN} to ${RSA_MODULUS_BITS_MAX}`;
  }
  if (exponent >= RSA_EXPONENT_MIN && exponent % 2n === 1n) return null;
  return `the public exponent ${exponent}, which is not an odd number of at least ${RSA_EXPONENT_MIN}`;
}
