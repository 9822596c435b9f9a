import { describe, expect, it } from 'vitest';
import type { ServiceUnderRules } from './service-under-rules.js';

/** The verdict on a create that breaks no rule. */
export const TAKEN = 'PENDING_NEW';

/** The status of an accepted create, or the code of a refused one, with its message. */
export interface Verdict {
  readonly verdict: string;
  readonly message: string;
}

export interface FieldRules {
  verdict(order: object): Promise<Verdict>;
  /**
   * Values of one field of an order, each with its verdict. The message of a refusal must name the field. A function
   * gives its value when the test runs: on a loaded machine that is long after the tests of the file are listed.
   */
  field(name: string, base: object, cases: readonly (readonly [value: unknown, verdict: string])[]): void;
}

/** Makes the tests of one field after the other. Accepted orders are not checked further. */
export function fieldRules(service: ServiceUnderRules): FieldRules {
  const verdict = async (order: object): Promise<Verdict> => {
    const { status, error_code: code, message = '', order_id: orderId } = await service.trader.create(order);
    expect(orderId === undefined).toBe(status === 'REJECTED');
    return { verdict: code ?? status, message };
  };
  const field: FieldRules['field'] = (name, base, cases) => {
    const named = cases.map(([value, wanted]) => [shown(valueNow(value)), wanted, value] as const);
    describe(name, () => {
      it.each(named)('with value %s gives %s', async (_, wanted, value) => {
        const found = await verdict(withField(base, name.split('.'), valueNow(value)));
        expect(found).toMatchObject({ verdict: wanted });
        if (wanted !== TAKEN) expect(found.message).toContain(name.split('.').at(-1));
      });
    });
  };
  return { verdict, field };
}

function valueNow(value: unknown): unknown {
  return typeof value === 'function' ? (value as () => unknown)() : value;
}

const SHOWN_MAX = 60;

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, SHOWN_MAX);
}

/** The order with one field set at any depth; undefined removes the field. */
function withField(base: object, [name = '', ...inner]: readonly string[], value: unknown): object {
  const present = (base as Readonly<Record<string, object | undefined>>)[name];
  return { ...base, [name]: inner.length === 0 ? value : withField(present ?? {}, inner, value) };
}
