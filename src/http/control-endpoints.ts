import { AMEND_ORDER, CANCEL_ALL_AFTER, PAUSE_ORDER, RESUME_ORDER } from '../contract/control-operations.js';
import { isRejected } from '../model/rejection.js';
import type { CancelSwitches } from './cancel-switches.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { isUnavailability, NOT_FOUND, OK } from './errors.js';
import { unknownOrder } from './named-order.js';
import type { ControlResult, OrderControl } from './order-control.js';
import { parseCancelAfter } from './parse/cancel-after.js';
import { summaryText } from './present/order-summary.js';

export interface ControlEndpointParts {
  readonly control: OrderControl;
  readonly switches: CancelSwitches;
}

/** What is asked of orders that are under way, besides their end. */
export function controlEndpoints({ control, switches }: ControlEndpointParts): readonly SignedEndpoint[] {
  return [
    { ...PAUSE_ORDER, handle: (request) => control.pause(request, request.body, answering(request.call)) },
    {
      ...RESUME_ORDER,
      reuse: 'same path',
      handle: (request) => control.resume(request, request.body, answering(request.call)),
    },
    {
      ...AMEND_ORDER,
      reuse: 'same path',
      handle: (request) => control.amend(request, request.body, answering(request.call)),
    },
    { ...CANCEL_ALL_AFTER, handle: (request) => cancelAllAfter(switches, request) },
  ];
}

function answering(call: SignedRequest['call']): (result: ControlResult) => void {
  return call.guarded((result: ControlResult) => {
    switch (result.kind) {
      case 'unreadable':
        return call.refuse(result.rejection);
      case 'unknown':
        return call.refuse(unknownOrder(result.ref), NOT_FOUND);
      case 'summary': {
        const { outcome } = result.summary;
        if (outcome !== null && isUnavailability(outcome.code)) return call.refuse(outcome);
        return call.answer(OK, summaryText(result.summary));
      }
    }
  });
}

/** Answered once the switch is on disk. */
function cancelAllAfter(switches: CancelSwitches, { call, account, body }: SignedRequest): void {
  const timeoutMs = parseCancelAfter(body);
  if (isRejected(timeoutMs)) return call.refuse(timeoutMs.rejection);
  switches.set(
    account,
    timeoutMs,
    call.guarded((triggerAtMs: number | null) => call.answer(OK, `{"triggerTime":${triggerAtMs}}`)),
  );
}
