import type { HttpRequest } from 'uWebSockets.js';
import type { Credentials } from './auth/authenticate.js';

/** The data of a request before its body. uWebSockets invalidates the request when the handler returns. */
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
  /** Why the length of the message is ambiguous; null when it is not. */
  readonly framingFailure: string | null;
}

/**
 * Reads all headers in one pass. Marks a request whose length is ambiguous: a proxy before this service might interpret
 * it in another way. uWebSockets itself takes the first Content-Length and ignores the others.
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
    framingFailure: framingFailure(hosts, isEncoded) ?? lengthFailure(lengths, lengthText, contentLength),
  };
}

function framingFailure(hosts: number, isEncoded: boolean): string | null {
  if (hosts !== 1) return `${hosts} Host headers: exactly one is required`;
  return isEncoded ? 'Transfer-Encoding is not accepted: send Content-Length' : null;
}

/** `lengths`: number of Content-Length headers. `lengthText`: the last one. */
function lengthFailure(lengths: number, lengthText: string, contentLength: number): string | null {
  if (lengths > 1) return 'Content-Length is given more than once';
  if (lengths === 1 && (lengthText === '' || String(contentLength) !== lengthText)) {
    return 'Content-Length is not a plain integer';
  }
  return null;
}
