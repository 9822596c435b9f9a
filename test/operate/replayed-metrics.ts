import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A text that is older is read again. */
const TEXT_AGE_MS_MAX = 250;

/** Changes the text of /metrics. `scrapes`: scrapes of this path so far. */
export type Fault = (text: string, scrapes: number) => string;

/** Sets a metric that the text has. The metric is named with its labels. */
export function set(metric: string, value: number): Fault {
  return (text) => {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith(`${metric} `));
    if (at < 0) throw new Error(`/metrics has no ${metric}`);
    return lines.with(at, `${metric} ${value}`).join('\n');
  };
}

/** Replays the text of a running service with a fault in it: `/NAME` has the fault of that name. */
export class ReplayedMetrics {
  readonly #server: Server;
  readonly #scrapes = new Map<string, number>();
  readonly #sourcePort: number;
  /** The last text, or the one that is being read. */
  #text: Promise<string> | null = null;
  #isReading = false;
  #readAtMs = 0;

  constructor(sourcePort: number, faults: Readonly<Record<string, Fault>>) {
    this.#sourcePort = sourcePort;
    this.#server = createServer((request, response) => {
      const name = request.url?.slice(1) ?? '';
      const scrapes = (this.#scrapes.get(name) ?? 0) + 1;
      this.#scrapes.set(name, scrapes);
      this.#read()
        .then((text) => response.end(faults[name]?.(text, scrapes)))
        .catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  /** All paths share one request at a time: more of them would keep a slow service from its own work. */
  #read(): Promise<string> {
    if (this.#text !== null && (this.#isReading || Date.now() - this.#readAtMs < TEXT_AGE_MS_MAX)) return this.#text;
    this.#isReading = true;
    this.#readAtMs = Date.now();
    this.#text = fetch(`http://127.0.0.1:${this.#sourcePort}/metrics`)
      .then((answer) => answer.text())
      .finally(() => {
        this.#isReading = false;
      });
    return this.#text;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
