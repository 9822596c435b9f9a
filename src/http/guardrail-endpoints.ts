import { ENGAGE_KILL_SWITCH, GET_GUARDRAILS } from '../contract/guardrail-operations.js';
import type { Halt } from '../model/guardrail.js';
import { isRejected } from '../model/rejection.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { OK } from './errors.js';
import type { KillSwitches } from './kill-switches.js';
import { parseKillSwitch } from './parse/kill-switch.js';
import type { AccountUsage, GuardrailDesk } from './port.js';
import { guardrailsText, haltText } from './present/guardrails.js';

export interface GuardrailEndpointParts {
  readonly guardrails: GuardrailDesk;
  readonly killSwitches: KillSwitches;
}

/** What a key may learn of its guardrails, and the one of them that it may set. */
export function guardrailEndpoints({ guardrails, killSwitches }: GuardrailEndpointParts): readonly SignedEndpoint[] {
  return [
    { ...GET_GUARDRAILS, handle: (request) => tell(guardrails, request) },
    { ...ENGAGE_KILL_SWITCH, handle: (request) => engage(killSwitches, request) },
  ];
}

function tell(guardrails: GuardrailDesk, { call, account, apiKey }: SignedRequest): void {
  guardrails.usageOf(
    account,
    apiKey,
    call.guarded((usage: AccountUsage | null) =>
      call.answer(OK, guardrailsText(guardrails.boundsOf(account, apiKey), usage)),
    ),
  );
}

/** Answered once it is on disk. */
function engage(killSwitches: KillSwitches, { call, account, body }: SignedRequest): void {
  const wanted = parseKillSwitch(body);
  if (isRejected(wanted)) return call.refuse(wanted.rejection);
  killSwitches.engage(
    account,
    call.guarded((halt: Halt | null) => call.answer(OK, haltText(halt))),
  );
}
