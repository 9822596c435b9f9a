import uWS from 'uWebSockets.js';
import { signedBodyReader } from './signed-body.js';

/**
 * The reference server: the minimum work of an order server. Reads the same headers and body, checks the same HMAC in
 * constant time, parses the same JSON and sends an answer of the same form. Does not validate, store or trade. Prints
 * its port on standard output.
 */
const readSigned = signedBodyReader(process.argv[2] ?? '');
let orders = 0;

uWS
  .App()
  .post('/api/v2/trading/order/create', (res, req) => {
    readSigned(res, req, ({ body, isSigned }) => {
      const order = JSON.parse(body.toString('utf8')) as { client_order_id: string };
      orders += 1;
      res.cork(() => {
        res.writeStatus(isSigned ? '201 Created' : '401 Unauthorized');
        res.writeHeader('Content-Type', 'application/json');
        res.end(
          `{"order_id":${orders},"client_order_id":"${order.client_order_id}","status":"PENDING_NEW",` +
            `"created_at":"2026-01-01T00:00:00.000Z"}`,
        );
      });
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) process.exit(1);
    console.log(JSON.stringify({ port: uWS.us_socket_local_port(socket) }));
  });
