import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority } from './certificate.js';
import { ConnectProxy } from './proxy.js';

/** The way from clients to a loopback exchange under its real host names. */
export interface ProxiedSite {
  readonly proxy: ConnectProxy;
  /** File with the certificate of the authority, for NODE_EXTRA_CA_CERTS. */
  readonly certificateFile: string;
  readonly close: () => Promise<void>;
}

/** Starts a proxy that serves the host names from local ports, with a certificate of an authority made for it. */
export async function openSite(hosts: ReadonlyMap<string, number>): Promise<ProxiedSite> {
  const authority = await TestAuthority.create();
  const identity = await authority.issue([...hosts.keys()]);
  const proxy = await ConnectProxy.start({ identity, hosts });
  const folder = mkdtempSync(join(tmpdir(), 'loopback-'));
  const certificateFile = join(folder, 'authority.pem');
  writeFileSync(certificateFile, authority.certificate);
  return {
    proxy,
    certificateFile,
    close: async () => {
      await proxy.close();
      rmSync(folder, { recursive: true });
    },
  };
}
