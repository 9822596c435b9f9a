import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { collect } from './node-transport.js';
import type { SluiceError } from './sluice-error.js';
import { type OpenSocket, streamFailure } from './stream-socket.js';
import { refusalIn } from './transport.js';

const HANDSHAKE_MS = 10_000;
const NORMAL_CLOSURE = 1000;

/** Connections of Node to the streams at this address. */
export function nodeSockets(url: string): OpenSocket {
  return (listenKey, listener) => {
    const headers = { Authorization: `Bearer ${listenKey}` };
    const socket = new WebSocket(url, { headers, handshakeTimeout: HANDSHAKE_MS, perMessageDeflate: false });
    let cause: SluiceError | null = null;
    socket.once('open', () => listener.opened());
    socket.on('message', (data) => listener.received((data as Buffer).toString('utf8')));
    const refuse = (refusal: SluiceError): void => {
      cause = refusal;
      socket.terminate();
    };
    socket.once('unexpected-response', (_request, response) => void refusalOf(response).then(refuse));
    socket.on('error', ({ message }) => (cause ??= streamFailure(0, `the stream cannot be reached: ${message}`)));
    socket.once('close', (code: number) => listener.closed(code, cause));
    return {
      get isOpen() {
        return socket.readyState === WebSocket.OPEN;
      },
      send: (text) => socket.send(text),
      close: () => socket.close(NORMAL_CLOSURE),
      terminate: () => socket.terminate(),
    };
  };
}

/** The error of a refused handshake, with code and reason of the service. */
async function refusalOf(response: IncomingMessage): Promise<SluiceError> {
  const status = response.statusCode ?? 0;
  const general = streamFailure(status, `the handshake was refused with HTTP ${status}`);
  return collect(response).then(
    (answer) => refusalIn(answer) ?? general,
    () => general,
  );
}
