import { BlockList, isIP } from 'node:net';
import { ALLOWED_NETWORKS_MAX } from '../../model/limits.js';
import { reject } from '../../model/rejection.js';
import type { OrRejection } from '../../model/rejection.js';

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof ADDRESS_BITS;

/** Networks a key may be used from. An IPv4 address mapped into IPv6 counts as itself. */
export class NetworkList {
  readonly #networks = new BlockList();

  /** Texts that `parseNetworks` has let through. */
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
    return reject(
      'INVALID_PARAM',
      `allow_ip has ${networks.length} networks; at most ${ALLOWED_NETWORKS_MAX} are kept`,
    );
  }
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong === undefined) return networks;
  const rule = 'an IPv4 or IPv6 address, nor a network such as 10.0.0.0/8 or 2001:db8::/32';
  return reject('INVALID_PARAM', `allow_ip ${JSON.stringify(wrong)} is neither ${rule}`);
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  // A zone (fe80::1%eth0) names an interface of one machine; the peer's address never carries it.
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= ADDRESS_BITS[familyOf(address)]);
}

function familyOf(address: string): Family {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
