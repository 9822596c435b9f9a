import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/client/index.js';
import { REJECTION_CODES, REJECTION_REASONS } from '../../src/domain/rejection.js';

const STREAM_CODES = ['7001', '7002', '8054'];

function failure(code: string, reason?: string): SluiceError {
  return new SluiceError({ status: 400, code, reason, message: 'words', requestId: null });
}

describe('SluiceError', () => {
  it.each([...REJECTION_CODES, ...STREAM_CODES])('has the code of the service: %s', (code) => {
    expect(failure(code)).toMatchObject({ code, message: 'words', reason: null });
  });

  it.each(REJECTION_REASONS)('has the reason of the service: %s', (reason) => {
    expect(failure('OTHER', reason)).toMatchObject({ code: 'OTHER', reason, message: 'words' });
  });

  it('has only codes and reasons of its type, also from a later release of the service', () => {
    expect(failure('MOON_CLOSED')).toMatchObject({ code: 'OTHER', message: 'MOON_CLOSED: words' });
    expect(failure('SYSTEM_BUSY', 'TIDE')).toMatchObject({ code: 'SYSTEM_BUSY', reason: null, message: 'TIDE: words' });
    expect(failure('constructor')).toMatchObject({ code: 'OTHER', message: 'constructor: words' });
  });
});
