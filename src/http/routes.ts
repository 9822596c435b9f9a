import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { BODY_BYTES_DISCARDED_MAX, BODY_BYTES_MAX } from '../model/limits.js';
import type { Rejection } from '../model/rejection.js';
import type { Call } from './call.js';
import type { OpenEndpoint, SignedEndpoint } from './endpoint.js';
import { METHOD_NOT_ALLOWED, NOT_FOUND, PAYLOAD_TOO_LARGE } from './errors.js';
import type { Gate } from './gate.js';
import { readBody } from './request-body.js';

export interface RouteParts {
  readonly signed: readonly SignedEndpoint[];
  readonly open: readonly OpenEndpoint[];
  readonly gate: Gate;
  /** Reads the request's head and makes its call. */
  readonly begin: (res: HttpResponse, req: HttpRequest) => Call;
}

type Serve = (call: Call, res: HttpResponse) => void;

const TOO_LARGE: Rejection = { code: 'INVALID_REQUEST', message: `the body is larger than ${BODY_BYTES_MAX} bytes` };

/**
 * Puts every endpoint on the app. The app looks for a path under the request's own method first and under `any` last,
 * so each path gets its methods there and the answer to all others here.
 */
export function registerRoutes(app: TemplatedApp, { signed, open, gate, begin }: RouteParts): void {
  const on = (serve: Serve) => (res: HttpResponse, req: HttpRequest) => {
    const call = begin(res, req);
    try {
      const { framingFailure } = call.head;
      if (framingFailure === null) serve(call, res);
      else call.refuseAndClose({ code: 'INVALID_REQUEST', message: framingFailure });
    } catch (error) {
      call.fail(error);
    }
  };
  for (const endpoint of signed) {
    if (endpoint.method === 'GET') app.get(endpoint.path, on(serveSignedGet(gate, endpoint)));
    else app.post(endpoint.path, on(serveSignedPost(gate, endpoint)));
    app.any(endpoint.path, on(refuseMethod(endpoint.method)));
  }
  for (const { path, handle } of open) {
    app.get(path, on(handle));
    app.head(path, on(handle));
    app.any(path, on(refuseMethod('GET, HEAD')));
  }
  app.any('/*', on(refusePath));
}

function serveSignedGet(gate: Gate, endpoint: SignedEndpoint): Serve {
  return (call) => gate.admit(call, endpoint, { kind: 'query', text: call.head.query });
}

function serveSignedPost(gate: Gate, endpoint: SignedEndpoint): Serve {
  return (call, res) => {
    if (call.head.contentLength > BODY_BYTES_DISCARDED_MAX) return call.refuseAndClose(TOO_LARGE, PAYLOAD_TOO_LARGE);
    const admit = call.guarded((bytes: Buffer) => gate.admit(call, endpoint, { kind: 'body', bytes }));
    readBody(res, call.head.contentLength, (body) => {
      switch (body.kind) {
        case 'complete':
          return admit(body.bytes);
        case 'too large':
          return call.refuseAndClose(TOO_LARGE, PAYLOAD_TOO_LARGE);
        case 'not as declared': {
          const message = `${body.receivedBytes} bytes of body came, ${call.head.contentLength} were declared`;
          return call.refuseAndClose({ code: 'INVALID_REQUEST', message });
        }
      }
    });
  };
}

function refuseMethod(allowed: string): Serve {
  return (call) => {
    const message = `this path takes ${allowed}`;
    call.refuse({ code: 'INVALID_REQUEST', message }, METHOD_NOT_ALLOWED, `\r\nAllow: ${allowed}`);
  };
}

function refusePath(call: Call): void {
  call.refuse({ code: 'INVALID_REQUEST', message: 'there is nothing at this path' }, NOT_FOUND);
}
