import type { Rejection } from '../../model/rejection.js';
import type { sluice } from '../generated/messages.js';
import { REJECTION_CODE } from './vocabulary.js';

export function toWireRejection(rejection: Rejection): sluice.v1.Rejection.$Properties {
  return { code: REJECTION_CODE.number(rejection.code), message: rejection.message };
}

export function fromWireRejection(message: sluice.v1.Rejection): Rejection {
  return { code: REJECTION_CODE.name(message.code, 'Rejection.code'), message: message.message };
}
