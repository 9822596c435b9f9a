import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The wanted port when it is free, otherwise one that is. */
export async function freePort(host: string, wanted: number): Promise<number> {
  return (await probe(host, wanted)) ?? (await probe(host, 0)) ?? wanted;
}

/** The port that could be bound, and is free again; null when it could not. */
function probe(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ host, port, exclusive: true }, () => {
      const bound = (server.address() as AddressInfo).port;
      server.close(() => resolve(bound));
    });
  });
}
