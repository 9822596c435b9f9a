import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import uWS from 'uWebSockets.js';

/**
 * The reference server: the minimum work of an order server. Reads the same headers and body, checks the same HMAC in
 * constant time, parses the same JSON and sends an answer of the same form. Does not validate, store or trade. Prints
 * its port on standard output.
 */
const secret = createSecretKey(Buffer.from(process.argv[2] ?? '', 'base64url'));
let orders = 0;

uWS
  .App()
  .post('/api/v2/trading/order/create', (res, req) => {
    const timestamp = req.getHeader('x-timestamp');
    const apiKey = req.getHeader('x-api-key');
    const recvWindow = req.getHeader('x-recv-window');
    const signature = Buffer.from(req.getHeader('x-sign'), 'base64');
    let body: Buffer = Buffer.alloc(0);
    let isAborted = false;
    res.onAborted(() => {
      isAborted = true;
    });
    res.onData((chunk, isLast) => {
      body = Buffer.concat([body, Buffer.from(chunk)]);
      if (!isLast || isAborted) return;
      const expected = createHmac('sha256', secret)
        .update(timestamp + apiKey + recvWindow)
        .update(body)
        .digest();
      const isRight = expected.length === signature.length && timingSafeEqual(expected, signature);
      const order = JSON.parse(body.toString('utf8')) as { client_order_id: string };
      orders += 1;
      res.cork(() => {
        res.writeStatus(isRight ? '201 Created' : '401 Unauthorized');
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
