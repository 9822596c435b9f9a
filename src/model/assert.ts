/** An impossible state: it stops the shard, loudly, and is never caught to go on. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

export function assert(condition: boolean, invariant: string): asserts condition {
  if (!condition) throw new InvariantViolation(invariant);
}
