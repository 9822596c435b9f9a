import { request } from 'node:http';
import { connection, report } from './findings.js';

/** Asks the proxy for a host that no test serves, and reports the status of its answer. */
const { hostname, port } = new URL(connection.proxy);
const asked = request({ host: hostname, port, method: 'CONNECT', path: 'unknown.example:443' });
asked.on('connect', (response) => report({ status: response.statusCode }));
asked.end();
