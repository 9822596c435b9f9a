import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/*
 * Ports for programs that must be given one. A port that the kernel chose and that is closed again is free for
 * everyone: a service of another test may get it before the program listens. The ports here are below those that the
 * kernel gives away, and each process has a block of them.
 *
 *   begin             begin + 1 … begin + 31
 *   held: the block   given to the tests of this process, each once
 *   is taken
 */

const HOST = '127.0.0.1';
const BLOCK_PORTS = 32;
const PORTS_BEGIN = 10_240;
/** The usual begin of the ports that Linux gives away, for a machine that gives away nearly all. */
const PORTS_END_USUAL = 32_768;

let block: Promise<Server> | null = null;
let given = 0;

/** A port that no other test has. The kernel does not choose it for other programs. It is free now. */
export async function ownPort(): Promise<number> {
  block ??= takeBlock();
  const begin = portOf(await block);
  while (given < BLOCK_PORTS - 1) {
    given += 1;
    const server = await listenAt(begin + given);
    if (server === null) continue;
    server.close();
    await once(server, 'close');
    return begin + given;
  }
  throw new Error(`this process has used its ${BLOCK_PORTS - 1} ports`);
}

/** Takes the first block that no process has. The search begins at another block for each process. */
async function takeBlock(): Promise<Server> {
  const [first = ''] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/);
  const end = Number(first) >= PORTS_BEGIN + BLOCK_PORTS ? Number(first) : PORTS_END_USUAL;
  const blocks = Math.floor((end - PORTS_BEGIN) / BLOCK_PORTS);
  for (let tries = 0; tries < blocks; tries += 1) {
    const server = await listenAt(PORTS_BEGIN + ((process.pid + tries) % blocks) * BLOCK_PORTS);
    // It must not keep the process alive.
    if (server !== null) return server.unref();
  }
  throw new Error(`no block of ports is free from ${PORTS_BEGIN} to ${end}`);
}

/** Returns null when the port is in use. */
async function listenAt(port: number): Promise<Server | null> {
  const server = createServer();
  try {
    await once(server.listen(port, HOST), 'listening');
    return server;
  } catch {
    return null;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the first port of the block is not held');
  return address.port;
}
