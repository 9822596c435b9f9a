import { workerData } from 'node:worker_threads';
import { BellRinger, BlockingBell } from '../../src/wire/bell.js';
import { RingConsumer, RingProducer } from '../../src/wire/ring.js';
import type { EchoData } from './wire.js';

/** The other end of the hop: sleeps until its bell rings and echoes the messages, until it is terminated. */
const { there, back, thereBell, backBell } = workerData as EchoData;
const [home, out] = [new RingConsumer(there), new RingProducer(back)];
const [bell, ringer] = [new BlockingBell(thereBell), new BellRinger(backBell)];

for (;;) {
  bell.wait(Infinity);
  const echoed = home.drain(Infinity, (message) => out.tryWrite(message));
  if (echoed > 0) ringer.ring();
}
