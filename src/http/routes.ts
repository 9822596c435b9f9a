import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { BODY_BYTES_DISCARDED_MAX } from '../domain/limits/clients.js';
import type { RefusalCounts } from '../domain/rejection.js';
import { type BodyRoom, type HeldBody, type ReadBody, readBody } from './request-body.js';
import type { Call } from './call.js';
import type { OpenEndpoint, SignedEndpoint } from './endpoint.js';
import { METHOD_NOT_ALLOWED, NOT_FOUND, PAYLOAD_TOO_LARGE } from '../api/field/error-code.js';
import type { Gate } from './gate.js';
import type { Pipelining } from './pipelining.js';
import { OTHER_ROUTES } from './metrics/answer-meter.js';
import { networkAddress, subscriberOf } from './address-limit.js';

export interface RouteParts {
  readonly signed: readonly SignedEndpoint[];
  readonly open: readonly OpenEndpoint[];
  readonly gate: Gate;
  readonly bodies: BodyPolicy;
  readonly pipelining: Pipelining;
  /** Creates the calls of a route. Each call reads the head of its request. */
  readonly callsOf: (route: string) => BeginCall;
}

export type BeginCall = (res: HttpResponse, req: HttpRequest) => Call;

/** Limits on request bodies. */
export interface BodyPolicy {
  readonly bytesMax: number;
  /** Room for incomplete bodies. */
  readonly room: BodyRoom;
  readonly refusals: RefusalCounts;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
}

type Serve = (call: Call, res: HttpResponse) => void;

/**
 * Registers every endpoint on the app. The app looks up a path under the request's method first and under `any` last.
 * Each path therefore gets its methods first and then the answer to all other methods.
 */
export function registerRoutes(app: TemplatedApp, parts: RouteParts): void {
  const { signed, open, gate, callsOf } = parts;
  const on = (begin: BeginCall, serve: Serve) => (res: HttpResponse, req: HttpRequest) => {
    const call = begin(res, req);
    try {
      if (!gate.isWithinAddressLimit(call)) return;
      const { framingFailure } = call.head;
      if (framingFailure === null) serve(call, res);
      else call.refuseAndClose({ code: 'INVALID_REQUEST', message: framingFailure });
    } catch (error) {
      call.fail(error);
    }
  };
  for (const endpoint of signed) {
    const begin = callsOf(endpoint.path);
    if (endpoint.method === 'GET') app.get(endpoint.path, on(begin, serveSignedGet(endpoint, parts)));
    else app.post(endpoint.path, on(begin, serveSignedPost(endpoint, parts)));
  }
  for (const [path, methods] of methodsByPath(signed)) app.any(path, on(callsOf(path), refuseMethod(methods)));
  for (const { path, handle } of open) {
    const begin = callsOf(path);
    app.get(path, on(begin, alone(handle)));
    app.head(path, on(begin, alone(handle)));
    app.any(path, on(begin, refuseMethod('GET, HEAD')));
  }
  app.any('/*', on(callsOf(OTHER_ROUTES), refusePath));
}

/** The methods of each path, as an Allow header lists them. */
function methodsByPath(signed: readonly SignedEndpoint[]): ReadonlyMap<string, string> {
  const methods = new Map<string, string>();
  for (const { path, method } of signed) {
    const earlier = methods.get(path);
    methods.set(path, earlier === undefined ? method : `${earlier}, ${method}`);
  }
  return methods;
}

/** Serves a request that changes nothing. A later request of its connection waits for the answer. */
function alone(serve: (call: Call) => void): Serve {
  return (call) => {
    serve(call);
    call.readNothingMore();
  };
}

function serveSignedGet(endpoint: SignedEndpoint, { gate, pipelining }: RouteParts): Serve {
  const admit = (call: Call): void => gate.admit(call, endpoint, { kind: 'query', text: call.head.query });
  return endpoint.budget === 'reads' ? alone(admit) : (call) => void pipelining.begin(call, NO_BODY, admit);
}

const NO_BODY = Buffer.alloc(0);

function serveSignedPost(endpoint: SignedEndpoint, { gate, bodies, pipelining }: RouteParts): Serve {
  const { bytesMax, room, refusals, monotonicMs } = bodies;
  const refuseLarge = (call: Call): void => {
    refusals.body_bytes += 1;
    const message = `the body is larger than ${bytesMax} bytes`;
    call.refuseAndClose({ code: 'INVALID_REQUEST', message }, PAYLOAD_TOO_LARGE);
  };
  const refuseWithoutRoom = (call: Call): void => {
    refusals.body_room += 1;
    call.refuseAndClose({ code: 'SYSTEM_BUSY', message: NO_ROOM });
  };
  const admit = (call: Call, bytes: Buffer): void => gate.admit(call, endpoint, { kind: 'body', bytes });
  const holdOf = (call: Call): HeldBody => {
    const held = room.open(subscriberOf(networkAddress(call.remoteAddress())), monotonicMs(), () => call.cut());
    call.whenOver(() => held.close());
    return held;
  };
  const take = (call: Call, body: ReadBody): void => {
    switch (body.kind) {
      case 'complete':
        if (!pipelining.begin(call, body.bytes, admit)) refuseWithoutRoom(call);
        return;
      case 'too large':
        return refuseLarge(call);
      case 'no room':
        return refuseWithoutRoom(call);
      case 'not as declared': {
        const message = `the body has ${body.receivedBytes} bytes, Content-Length is ${call.head.contentLength}`;
        return call.refuseAndClose({ code: 'INVALID_REQUEST', message });
      }
    }
  };
  return (call, res) => {
    const declaredBytes = call.head.contentLength;
    if (declaredBytes > BODY_BYTES_DISCARDED_MAX) return refuseLarge(call);
    readBody(res, { declaredBytes, bytesMax, hold: () => holdOf(call) }, (body) => take(call, body));
  };
}

const NO_ROOM = 'the bodies of all connections use all the room; nothing was placed, try again';

function refuseMethod(allowed: string): Serve {
  return (call) => {
    const message = `this path accepts ${allowed}`;
    call.refuse({ code: 'INVALID_REQUEST', message }, METHOD_NOT_ALLOWED, `\r\nAllow: ${allowed}`);
  };
}

function refusePath(call: Call): void {
  call.refuse({ code: 'INVALID_REQUEST', message: 'there is nothing at this path' }, NOT_FOUND);
}
