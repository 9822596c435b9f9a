import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * A port of this machine that is free now. For servers that cannot choose one, and for a service that starts again at its
 * port: the kernel does not give a port that it chose itself to a second server while old connections fade.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
