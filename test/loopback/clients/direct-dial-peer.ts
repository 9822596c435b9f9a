import { connect } from 'node:net';

/** Dials an address of the documentation range without the proxy: the guard must end this process. */
connect(443, '192.0.2.1');
