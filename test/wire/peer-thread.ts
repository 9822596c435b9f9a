import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const DIST = new URL('../../dist/test/wire/', import.meta.url);

/** Starts a peer of these tests on a thread of its own: threads load what `npm run build` made. */
export function startPeer(name: `${string}-peer`, workerData: unknown): Worker {
  return new Worker(new URL(`${name}.js`, DIST), { workerData });
}

/** The peer's one message; what it throws comes out here. */
export async function answerOf(peer: Worker): Promise<unknown> {
  const [answer] = (await once(peer, 'message')) as [unknown];
  return answer;
}
