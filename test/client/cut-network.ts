import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished, type TestContext } from 'vitest';

/** A port in front of a server whose connections a test can cut. A concurrent test passes its context. */
export async function networkTo(
  serverPort: number,
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<{ readonly port: number; cut(): void }> {
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    const onward = connect(serverPort, '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    socket.pipe(onward).pipe(socket);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  test.onTestFinished(() => {
    cut();
    front.close();
  });
  return { port: (front.address() as AddressInfo).port, cut };
}
