import { type Fault, faultOf, type FaultScript, type View, viewUnder, WaitsForEngine } from './faults.js';

/** Faults that the protocol writes in its own words. */
export type ProtocolFault = Extract<Fault, { kind: 'fail' | 'maintenance' | 'limit' }>;

/** How one request is served: by the exchange, or by a fault. */
interface ServedRequest<Answer> {
  /** Name of the endpoint, for the fault rules. */
  readonly name: string;
  readonly execute: (view: View) => Answer;
  readonly failure: (fault: ProtocolFault) => Answer;
  /** Sends the answer; called twice for a duplicate. */
  readonly send: (answer: Answer) => void;
  /** Ends the connection without an answer. */
  readonly cut: () => void;
}

/** Serves one request under the faults of the script: HTTP requests and requests on sockets alike. */
export async function serveRequest<Answer>(script: FaultScript, request: ServedRequest<Answer>): Promise<void> {
  const faults = script.take(request.name);
  const answer = await outcome(faults, request);
  if (answer === null) return;
  const delay = faultOf(faults, 'delay');
  if (delay !== undefined) await sleep(delay.ms);
  request.send(answer);
  if (faultOf(faults, 'duplicate') !== undefined) request.send(answer);
}

async function outcome<Answer>(faults: readonly Fault[], request: ServedRequest<Answer>): Promise<Answer | null> {
  const hold = faultOf(faults, 'hold');
  if (hold !== undefined) await sleep(hold.ms);
  const refused = faultOf(faults, 'maintenance') ?? faultOf(faults, 'limit');
  if (refused !== undefined) return request.failure(refused);
  const cut = faultOf(faults, 'cut');
  const fail = faultOf(faults, 'fail');
  const isExecuted = (cut?.executed ?? true) && (fail?.executed ?? true);
  const answer = isExecuted ? carriedOut(() => request.execute(viewUnder(faults))) : null;
  if (cut !== undefined) {
    request.cut();
    return null;
  }
  if (faultOf(faults, 'lose') !== undefined) return null;
  return fail === undefined ? answer : request.failure(fail);
}

/** null: the order waits for the matching engine, so there is no answer. */
function carriedOut<Answer>(execute: () => Answer): Answer | null {
  try {
    return execute();
  } catch (error) {
    if (!(error instanceof WaitsForEngine)) throw error;
    return null;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
