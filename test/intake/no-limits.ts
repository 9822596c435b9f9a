import type { IntakeParts } from '../../src/intake/intake.js';
import type { KillSwitchDirectory } from '../../src/risk/kill-switch.js';
import { noRiskLimitCounts } from '../../src/domain/risk-limit.js';

/** No account has a risk limit. */
export const NO_LIMITS_SET: IntakeParts['risk'] = {
  boundsOf: () => null,
  usageOf: (_account, _apiKey, answer) => answer(null),
  counts: noRiskLimitCounts(),
};

export const NO_KILL_SWITCHES: KillSwitchDirectory = {
  onChange: () => undefined,
  refresh: () => undefined,
  killSwitchOf: () => null,
  stoppedAccounts: [],
  serviceSwitch: null,
};
