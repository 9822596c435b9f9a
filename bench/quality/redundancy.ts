import { meanOf } from '../paired-difference.js';
import type { Policy } from './policy.js';
import { type Observations, valuesOf } from './trial.js';

/** Largest difference of mean all-in costs, in bps, at which rules of one family are reported as one. */
const AGREEMENT_BPS = 0.01;

/** Policies that are reported as one: the figures of the first stand for all. */
export interface PolicyGroup {
  readonly name: string;
  readonly policy: Policy;
}

/**
 * Joins each rule with the first one of its family whose mean all-in cost agrees with its own. Every redundant
 * comparison would make the others of its table harder to decide.
 */
export function groupsOf(policies: readonly Policy[], observations: Observations): PolicyGroup[] {
  const groups: Policy[][] = [];
  for (const policy of policies) {
    const group = groups.find(([first]) => first !== undefined && agree(first, policy, observations));
    if (group === undefined) groups.push([policy]);
    else group.push(policy);
  }
  return groups.flatMap((members) => {
    const [policy, ...others] = members;
    if (policy === undefined) return [];
    const names = members.map(({ name }) => name.replace(/ TWAP( taker)?$/, '')).join('; ');
    return [{ policy, name: others.length === 0 ? policy.name : `${policy.family} (${names})` }];
  });
}

function agree(one: Policy, other: Policy, observations: Observations): boolean {
  if (one.family === null || one.family !== other.family) return false;
  const [first, second] = [one, other].map((policy) => valuesOf(observations, policy, 'allIn'));
  const differences = (first ?? []).flatMap((each, window) => {
    const against = second?.[window] ?? null;
    return each === null || against === null ? [] : [each.value - against.value];
  });
  return Math.abs(meanOf(differences)) <= AGREEMENT_BPS;
}
