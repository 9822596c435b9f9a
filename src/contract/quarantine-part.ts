import { Type } from '@sinclair/typebox';
import { QUARANTINE_REASONS } from '../model/quarantine.js';
import { choice, epochMs } from './field.js';

export const QuarantinePart = Type.Object(
  {
    since: epochMs('When the order was quarantined, service time.'),
    reason: choice(
      'QuarantineReason',
      QUARANTINE_REASONS,
      'CONTRADICTORY_REPORT: the exchange reported something that cannot be. BROKEN_INVARIANT, UNEXPECTED_ERROR: the ' +
        'work on the order failed. SHARD_DEATH: its thread died repeatedly while it worked on the order.',
    ),
    detail: Type.String({ description: 'What was reported or failed.' }),
  },
  {
    title: 'QuarantinePart',
    description:
      'The order is set apart: it places no more children, and its fills are still recorded, so filled_quantity may ' +
      'exceed the quantity. Its status stays; message and error_code SYSTEM_ERROR say why. It can be cancelled, not ' +
      'paused, resumed or amended.',
  },
);
