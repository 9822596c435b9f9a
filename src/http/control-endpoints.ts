import {
  AMEND_ORDER,
  CANCEL_ALL_AFTER,
  PAUSE_ORDER,
  RESUME_ORDER,
  parseCancelAfter,
} from '../api/order/order-control.js';
import { isUnavailability, NOT_FOUND, OK } from '../api/field/error-code.js';
import {
  ENGAGE_KILL_SWITCH,
  GET_RISK_LIMITS,
  parseKillSwitch,
  riskLimitsText,
  killSwitchText,
} from '../api/account/risk-limits.js';
import { summaryText } from '../api/order/order-details.js';
import { isRejected } from '../domain/rejection.js';
import type { AccountUsage, EngagedKillSwitch } from '../domain/risk-limit.js';
import type { CancelAllAfter } from '../intake/cancel-all-after.js';
import type { Intake } from '../intake/intake.js';
import type { ControlResult } from '../intake/order-control.js';
import { unknownOrder } from '../intake/order-query.js';
import { addressText, networkAddress } from './address-limit.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';

export interface ControlEndpointParts {
  readonly intake: Pick<Intake, 'control' | 'cancelAllAfter' | 'risk' | 'killSwitch'>;
}

/** The endpoints that change open orders, set the cancel-all-after timer, show risk limits or engage a kill switch. */
export function controlEndpoints({ intake }: ControlEndpointParts): readonly SignedEndpoint[] {
  const { control, cancelAllAfter, risk, killSwitch } = intake;
  return [
    {
      ...PAUSE_ORDER,
      admitsLater: true,
      handle: (request) => control.pause(request, request.body, answering(request.call)),
    },
    {
      ...RESUME_ORDER,
      admitsLater: true,
      reuse: 'same path',
      handle: (request) => control.resume(request, request.body, answering(request.call)),
    },
    {
      ...AMEND_ORDER,
      admitsLater: true,
      reuse: 'same path',
      handle: (request) => control.amend(request, request.body, answering(request.call)),
    },
    { ...CANCEL_ALL_AFTER, handle: (request) => setCancelAllAfter(cancelAllAfter, request) },
    { ...GET_RISK_LIMITS, handle: (request) => showLimits(risk, request) },
    { ...ENGAGE_KILL_SWITCH, handle: (request) => engage(killSwitch, request) },
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

/** Answers once the timer is on disk. */
function setCancelAllAfter(timers: CancelAllAfter, { call, account, body }: SignedRequest): void {
  const timeoutMs = parseCancelAfter(body);
  if (isRejected(timeoutMs)) return call.refuse(timeoutMs.rejection);
  timers.set(
    account,
    timeoutMs,
    call.guarded((triggerAtMs: number | null) => call.answer(OK, `{"triggerTime":${triggerAtMs}}`)),
  );
}

function showLimits(risk: Intake['risk'], { call, account, apiKey }: SignedRequest): void {
  risk.usageOf(
    account,
    apiKey,
    call.guarded((usage: AccountUsage | null) =>
      call.answer(OK, riskLimitsText(risk.boundsOf(account, apiKey), usage)),
    ),
  );
}

/** Answers once the switch is on disk. */
function engage(killSwitch: Intake['killSwitch'], { call, account, apiKey, body }: SignedRequest): void {
  const wanted = parseKillSwitch(body);
  if (isRejected(wanted)) return call.refuse(wanted.rejection);
  const address = addressText(networkAddress(call.remoteAddress()));
  killSwitch.engage(
    { account, apiKey, address },
    call.guarded((engaged: EngagedKillSwitch | null) => call.answer(OK, killSwitchText(engaged))),
  );
}
