import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FaultRule } from '../../loopback/faults.js';
import { DIST } from '../service-process.js';
import type { LedgerCopy } from './ledger-copy.js';
import type { AccountKey, TradedMarket } from './traded-exchange.js';
import type { FaultNames } from './weather.js';

/** An order of the torture to the exchange's process. */
export type Order =
  | { readonly kind: 'describe' | 'openAccount' | 'endFaults' | 'takeFaults' | 'privateDials' }
  | { readonly kind: 'copy'; readonly latest?: number }
  /** Adds fault rules until `endFaults`. */
  | { readonly kind: 'storm'; readonly rules: readonly FaultRule[] }
  /** Ends connections: `all`, those through the `proxy`, or those of a host. */
  | { readonly kind: 'cut'; readonly way: string }
  | { readonly kind: 'acceptKey'; readonly apiKey: string; readonly isAccepted: boolean }
  | { readonly kind: 'expireStreams'; readonly account: number }
  | { readonly kind: 'maintenance' | 'ban'; readonly ms: number }
  /** Orders arrive `ms` late for a moment. Then all connections are cut. */
  | { readonly kind: 'late orders'; readonly ms: number }
  /** True: the exchange's own limits of requests apply. */
  | { readonly kind: 'countRequests'; readonly isCounting: boolean }
  | { readonly kind: 'stepClock'; readonly byMs: number };

export interface ExchangeDescription {
  readonly markets: readonly TradedMarket[];
  readonly names: FaultNames;
  /** URL of the CONNECT proxy that serves the exchange's hosts. */
  readonly proxy: string;
  /** File with the certificate that the service must trust. */
  readonly certificateFile: string;
}

/** Number of applied faults by kind, and the hosts that the service dialled in vain. */
export interface FaultCount {
  readonly counts: Readonly<Record<string, number>>;
  readonly refusedDials: readonly string[];
  /** The longest time in which the exchange itself did not move. */
  readonly stallMs: number;
}

const GONE = 'the exchange process has ended';

/** A loopback exchange in its own process. It keeps its ledger while services start and die. */
export class ExchangeProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #ended: Promise<unknown>;
  #last = 0;
  #description: ExchangeDescription | null = null;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(GONE));
    });
    child.on('message', ({ id, value }: { id: number; value: unknown }) => {
      this.#waiting.get(id)?.resolve(value);
      this.#waiting.delete(id);
    });
  }

  static async start(name: string, seed: string): Promise<ExchangeProcess> {
    const child = fork(join(DIST, 'test/torture/live/exchange-peer.js'), [name, seed], {
      serialization: 'advanced',
      execArgv: [],
    });
    const exchange = new ExchangeProcess(child);
    exchange.#description = (await exchange.ask({ kind: 'describe' })) as ExchangeDescription;
    return exchange;
  }

  get description(): ExchangeDescription {
    if (this.#description === null) throw new Error('the exchange has not started');
    return this.#description;
  }

  openAccount(): Promise<AccountKey> {
    return this.ask({ kind: 'openAccount' }) as Promise<AccountKey>;
  }

  /** The ledger, or only its latest orders and fills. */
  copy(latest?: number): Promise<LedgerCopy> {
    return this.ask(latest === undefined ? { kind: 'copy' } : { kind: 'copy', latest }) as Promise<LedgerCopy>;
  }

  /** Connections that the service opened to private streams, and the time of the last one. */
  privateDials(): Promise<{ readonly count: number; readonly atMs: number }> {
    return this.ask({ kind: 'privateDials' }) as Promise<{ count: number; atMs: number }>;
  }

  takeFaults(): Promise<FaultCount> {
    return this.ask({ kind: 'takeFaults' }) as Promise<FaultCount>;
  }

  /** Resolves when the order is carried out. Rejects when the process has ended. */
  async ask(order: Order): Promise<unknown> {
    if (!this.#child.connected) throw new Error(GONE);
    this.#last += 1;
    const id = this.#last;
    // No race with the end of the process: it would keep every answer, and copies are large.
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#child.send({ id, order });
    return answered;
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
