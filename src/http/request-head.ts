import type { HttpRequest } from 'uWebSockets.js';
import type { Credentials } from './auth/authenticate.js';

/** What is read of a request before its body: uWebSockets forgets the rest when the handler returns. */
export interface RequestHead {
  readonly isHead: boolean;
  readonly path: string;
  /** Raw, without `?`; '' when there is none. */
  readonly query: string;
  readonly credentials: Credentials;
  /** '' when there is none. */
  readonly host: string;
  /** '' when there is none. */
  readonly authorization: string;
  /** Declared bytes of the body; 0 without Content-Length. */
  readonly contentLength: number;
  /** Why the message's borders are not beyond doubt; null when they are. */
  readonly framingFailure: string | null;
}

/**
 * Reads everything in one pass over the headers. A request whose length could be understood in two ways (a proxy before
 * us might choose the other one) is marked, because uWebSockets takes the first Content-Length and lets the rest pass.
 */
export function readHead(req: HttpRequest): RequestHead {
  let hosts = 0;
  let lengths = 0;
  let lengthText = '';
  let isEncoded = false;
  let host = '';
  let authorization = '';
  const credentials = { apiKey: '', timestamp: '', signature: '', recvWindow: '', version: '', nonce: '' };
  req.forEach((name, value) => {
    switch (name) {
      case 'host':
        hosts += 1;
        host = value;
        break;
      case 'content-length':
        lengths += 1;
        lengthText = value;
        break;
      case 'transfer-encoding':
        isEncoded = true;
        break;
      case 'authorization':
        authorization = value;
        break;
      case 'x-api-key':
        credentials.apiKey = value;
        break;
      case 'x-timestamp':
        credentials.timestamp = value;
        break;
      case 'x-sign':
        credentials.signature = value;
        break;
      case 'x-recv-window':
        credentials.recvWindow = value;
        break;
      case 'x-sign-version':
        credentials.version = value;
        break;
      case 'x-nonce':
        credentials.nonce = value;
        break;
    }
  });
  const contentLength = lengths === 0 ? 0 : Number(lengthText);
  return {
    isHead: req.getMethod() === 'head',
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    credentials,
    host,
    authorization,
    contentLength,
    framingFailure: framingFailure(hosts, lengths, lengthText, contentLength, isEncoded),
  };
}

function framingFailure(
  hosts: number,
  lengths: number,
  lengthText: string,
  contentLength: number,
  isEncoded: boolean,
): string | null {
  if (hosts !== 1) return `${hosts} Host headers: exactly one is needed`;
  if (isEncoded) return 'Transfer-Encoding is not taken: send Content-Length';
  if (lengths > 1) return 'Content-Length is given more than once';
  if (lengths === 1 && (lengthText === '' || String(contentLength) !== lengthText)) {
    return 'Content-Length is not a plain integer';
  }
  return null;
}
