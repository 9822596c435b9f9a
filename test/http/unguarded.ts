import type { GuardrailDesk, HaltDirectory } from '../../src/http/port.js';
import { noGuardrailCounts } from '../../src/model/guardrail.js';

/** Nothing is held to anything. */
export const UNGUARDED: GuardrailDesk = {
  boundsOf: () => null,
  usageOf: (_account, _apiKey, answer) => answer(null),
  counts: noGuardrailCounts(),
};

export const NO_HALTS: HaltDirectory = {
  onChange: () => undefined,
  look: () => undefined,
  haltOf: () => null,
  haltedAccounts: [],
  isServiceHalted: false,
};
