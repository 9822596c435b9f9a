import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import uWS from 'uWebSockets.js';
import { signedBodyReader } from './signed-body.js';

/**
 * The rival: the shortest server that keeps the promise of a durable create, uWebSockets.js with SQLite. Checks the
 * same HMAC as the bare server, parses the same JSON, and stores the order under a unique client id. One transaction
 * takes all creates that arrived in a turn of the event loop, and the answers leave after its sync. Does not validate
 * or trade. Prints its port on standard output.
 */
interface Waiting {
  readonly res: uWS.HttpResponse;
  readonly clientOrderId: string;
  readonly body: string;
  isAborted: boolean;
}

const readSigned = signedBodyReader(process.argv[2] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'sluice-rival-'));
const database = new DatabaseSync(join(folder, 'orders.db'));
database.exec('PRAGMA journal_mode = WAL');
// The commit of each transaction syncs the log.
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, client_order_id TEXT NOT NULL UNIQUE, body TEXT NOT NULL)');
const begin = database.prepare('BEGIN IMMEDIATE');
const insert = database.prepare('INSERT OR IGNORE INTO orders (client_order_id, body) VALUES (?, ?)');
const commit = database.prepare('COMMIT');
let waiting: Waiting[] = [];

function store(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  const results = batch.map(({ clientOrderId, body }) => insert.run(clientOrderId, body));
  commit.run();
  for (const [index, one] of batch.entries()) {
    if (one.isAborted) continue;
    const { changes, lastInsertRowid } = results[index]!;
    if (changes === 0) answer(one.res, '409 Conflict', '{"code":"DUPLICATE"}');
    else {
      answer(
        one.res,
        '201 Created',
        `{"order_id":${lastInsertRowid},"client_order_id":"${one.clientOrderId}","status":"PENDING_NEW",` +
          `"created_at":"2026-01-01T00:00:00.000Z"}`,
      );
    }
  }
}

function answer(res: uWS.HttpResponse, status: string, body: string): void {
  res.cork(() => {
    res.writeStatus(status);
    res.writeHeader('Content-Type', 'application/json');
    res.end(body);
  });
}

uWS
  .App()
  .post('/api/v2/trading/order/create', (res, req) => {
    readSigned(res, req, ({ body, isSigned }) => {
      if (!isSigned) return answer(res, '401 Unauthorized', '{}');
      const text = body.toString('utf8');
      const { client_order_id: clientOrderId } = JSON.parse(text) as { client_order_id: string };
      const one: Waiting = { res, clientOrderId, body: text, isAborted: false };
      res.onAborted(() => {
        one.isAborted = true;
      });
      if (waiting.push(one) === 1) setImmediate(store);
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) process.exit(1);
    console.log(JSON.stringify({ port: uWS.us_socket_local_port(socket) }));
  });

process.on('SIGTERM', () => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
