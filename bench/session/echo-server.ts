import uWS from 'uWebSockets.js';

/** The reference of the latency of a session: sends each text frame back. Prints its port on standard output. */
uWS
  .App()
  .ws('/*', {
    message: (ws, message) => void ws.send(message, false),
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) process.exit(1);
    console.log(JSON.stringify({ port: uWS.us_socket_local_port(socket) }));
  });
