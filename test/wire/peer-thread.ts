import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const DIST = new URL('../../dist/test/', import.meta.url);

/** Starts a peer of these tests in its own thread. Threads load the output of `npm run build`. */
export function startPeer(name: `${string}-peer`, workerData: unknown): Worker {
  return new Worker(new URL(`${name}.js`, DIST), { workerData });
}

/** Resolves with the peer's one message. Rejects with the peer's error. */
export async function answerOf(peer: Worker): Promise<unknown> {
  const [answer] = (await once(peer, 'message')) as [unknown];
  return answer;
}
