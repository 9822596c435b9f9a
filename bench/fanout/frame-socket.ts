import { connect, type Socket } from 'node:net';

interface FrameSocketOptions {
  /** Absent: this machine. */
  readonly host?: string;
  readonly port: number;
  /** Path and query of the handshake. */
  readonly path: string;
  readonly onFrame: (bytes: Buffer, from: number, to: number) => void;
  /** The server has closed the socket. */
  readonly onClosed?: () => void;
}

const LOCAL_HOST = '127.0.0.1';
const HEADER_END = Buffer.from('\r\n\r\n');
const READ_BYTES = 256 * 1024;
/** One read buffer for all sockets: each read is handled before the next one. */
const shared = Buffer.allocUnsafe(READ_BYTES);

/** A minimal WebSocket client: no event, copy or allocation for a read that ends at a frame boundary. */
export class FrameSocket {
  readonly #socket: Socket;
  readonly #onFrame: FrameSocketOptions['onFrame'];
  #rest: Buffer = Buffer.alloc(0);
  #onOpen: (() => void) | null;

  private constructor({ host = LOCAL_HOST, port, path, onFrame }: FrameSocketOptions, onOpen: () => void) {
    this.#onFrame = onFrame;
    this.#onOpen = onOpen;
    const onread = { buffer: shared, callback: (byteCount: number) => this.#onRead(byteCount) };
    this.#socket = connect({ port, host, noDelay: true, onread });
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c2x1aWNlLWJlbmNobWFyaw==\r\n\r\n',
    );
  }

  /** Resolves after the handshake. */
  static open(options: FrameSocketOptions): Promise<FrameSocket> {
    return new Promise((resolve, reject) => {
      const opened = new FrameSocket(options, () => resolve(opened));
      opened.#socket.once('error', reject);
      opened.#socket.once('close', () => {
        reject(new Error('the server closed a socket'));
        options.onClosed?.();
      });
    });
  }

  /** Sends a text of less than 64 KiB. */
  send(text: string): void {
    this.write(maskedFrame(text));
  }

  /** Sends frames of `maskedFrame`. */
  write(frames: Buffer): void {
    this.#socket.write(frames);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onRead(byteCount: number): boolean {
    const read = shared.subarray(0, byteCount);
    const bytes = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read]);
    const begin = this.#onOpen === null ? 0 : this.#endOfHandshake(bytes);
    const frames = bytes.subarray(begin);
    const used = this.#onOpen === null ? eachFrame(frames, (from, to) => this.#onFrame(frames, from, to)) : 0;
    // The next read overwrites the buffer, so an incomplete frame is copied.
    this.#rest = used === frames.length ? frames.subarray(used) : Buffer.from(frames.subarray(used));
    return true;
  }

  /** Returns the position of the first frame; 0 while the handshake's answer is incomplete. */
  #endOfHandshake(bytes: Buffer): number {
    const end = bytes.indexOf(HEADER_END);
    if (end === -1) return 0;
    const status = bytes.toString('latin1', 0, bytes.indexOf('\r\n'));
    if (!status.includes(' 101 ')) throw new Error(`the handshake was answered ${status}`);
    this.#onOpen?.();
    this.#onOpen = null;
    return end + HEADER_END.length;
  }
}

const TEXT = 1;
const LENGTH_BITS = 0x7f;
const OPCODE_BITS = 0x0f;
/** A shorter length is in the second byte. This value means that the next two bytes hold it. */
const LENGTH_IN_TWO_BYTES = 126;

/**
 * Finds the WebSocket frames in a server's bytes from their headers. Calls `handle` with the payload range of each
 * complete text frame. Returns the start of the first incomplete frame. Throws a RangeError for a frame of 64 KiB or
 * more.
 */
export function eachFrame(bytes: Buffer, handle: (from: number, to: number) => void): number {
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = (bytes[at + 1] as number) & LENGTH_BITS;
    if (short > LENGTH_IN_TWO_BYTES) throw new RangeError('a frame of 64 KiB or more');
    const from = at + (short < LENGTH_IN_TWO_BYTES ? 2 : 4);
    if (from > bytes.length) break;
    const to = from + (short < LENGTH_IN_TWO_BYTES ? short : bytes.readUInt16BE(at + 2));
    if (to > bytes.length) break;
    if (((bytes[at] as number) & OPCODE_BITS) === TEXT) handle(from, to);
    at = to;
  }
  return at;
}

const FINAL = 0x80;
const MASKED = 0x80;
const FRAME_BYTES_MAX = 0xffff;

/** Returns a client's text frame, with a mask of zeros. Throws a RangeError for 64 KiB or more. */
export function maskedFrame(text: string): Buffer {
  const { length } = Buffer.from(text);
  if (length > FRAME_BYTES_MAX) throw new RangeError('a text of 64 KiB or more');
  const size = length < LENGTH_IN_TWO_BYTES ? [length] : [LENGTH_IN_TWO_BYTES, length >> 8, length & 0xff];
  const [first = 0, ...rest] = size;
  return Buffer.concat([Buffer.from([FINAL | TEXT, MASKED | first, ...rest, 0, 0, 0, 0]), Buffer.from(text)]);
}
