import type { SocketSession } from '../socket-server.js';
import type { Identity } from './signing.js';

export type SocketKind = 'public' | 'private' | 'business';

/** What a client subscribed to, as it wrote it. */
export type ChannelArg = Readonly<Record<string, string>>;

/** One subscription of a connection. */
export interface Subscription {
  readonly arg: ChannelArg;
  /** Sequence of the last book that was sent; null before the first one. */
  seqId: number | null;
}

/** One connection of a client. */
export class OkxSession {
  readonly socket: SocketSession;
  readonly kind: SocketKind;
  readonly connId: string;
  readonly subscriptions = new Map<string, Subscription>();
  identity: Identity | null = null;
  /** Time of the last message in either direction. */
  activeAtMs = Date.now();

  constructor(socket: SocketSession, kind: SocketKind, connId: string) {
    this.socket = socket;
    this.kind = kind;
    this.connId = connId;
  }

  answer(frame: object): void {
    this.activeAtMs = Date.now();
    this.socket.write(JSON.stringify(frame));
  }

  /** Sends data of a channel; `okx orders` or `okx trades BTC-USDT` name it in the fault script. */
  push({ arg }: Subscription, frame: object): void {
    this.activeAtMs = Date.now();
    const name = ['okx', arg['channel'], arg['instId']].filter((part) => part !== undefined).join(' ');
    this.socket.send(name, { arg, ...frame });
  }
}
