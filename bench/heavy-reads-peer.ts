import { connect } from 'node:net';
import { hmacSigner, signedMessage } from '../src/client/signature.js';

/** Sends one signed GET `count` times at once. Prints the number of complete answers and their bytes. */
const [port = '', apiKey = '', apiSecret = '', path = '', count = ''] = process.argv.slice(2);
const END_OF_CHUNKS = '\r\n0\r\n\r\n';
const RECV_WINDOW_MS = 60_000;

interface Received {
  readonly isWhole: boolean;
  readonly status: number;
  readonly bytes: number;
}

function ask(): Promise<Received> {
  const timestampMs = Date.now();
  const message = signedMessage({ timestampMs, apiKey, recvWindowMs: RECV_WINDOW_MS, payload: '' });
  const head =
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-KEY: ${apiKey}\r\nX-TIMESTAMP: ${timestampMs}\r\n` +
    `X-RECV-WINDOW: ${RECV_WINDOW_MS}\r\nX-SIGN: ${hmacSigner(apiSecret)(message)}\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}\r\n`));
    let [first, tail, bytes, wanted] = ['', '', 0, Number.POSITIVE_INFINITY];
    const finish = (isWhole: boolean): void => {
      socket.destroy();
      resolve({ isWhole, status: Number(first.slice(9, 12)), bytes });
    };
    socket.on('data', (chunk) => {
      if (bytes < 2048) {
        first += chunk.toString('latin1');
        const length = /content-length: (\d+)/i.exec(first)?.[1];
        const headBytes = first.indexOf('\r\n\r\n') + 4;
        if (length !== undefined && headBytes > 3) wanted = headBytes + Number(length);
      }
      bytes += chunk.length;
      tail = (tail + chunk.subarray(-END_OF_CHUNKS.length).toString('latin1')).slice(-END_OF_CHUNKS.length);
      if (tail === END_OF_CHUNKS || bytes >= wanted) finish(true);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => finish(false));
  });
}

const answers = await Promise.all(Array.from({ length: Number(count) }, ask));
const whole = answers.filter(({ isWhole, status }) => isWhole && status === 200);
const others = answers.filter((answer) => !whole.includes(answer)).map(({ status, bytes }) => `${status}: ${bytes} B`);
if (others.length > 0) console.error(`incomplete or failed answers: ${others.join(', ')}`);
console.log(JSON.stringify({ whole: whole.length, bytes: whole.reduce((sum, { bytes }) => sum + bytes, 0) }));
