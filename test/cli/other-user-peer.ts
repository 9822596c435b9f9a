import { operate } from '../../src/admin/admin-client.js';
import { isRejected } from '../../src/domain/rejection.js';

/*
 * Performs an operation on the data directory as a user without rights, and prints why it is refused. The program is
 * loaded before: a checkout may be closed to that user.
 */

const OTHER_USER_ID = 65_534;

const [path = '', name = '', params = '{}'] = process.argv.slice(2);
process.setgid?.(OTHER_USER_ID);
process.setuid?.(OTHER_USER_ID);
try {
  const outcome: unknown = await operate(
    { path, masterKey: undefined },
    name as 'keys.list',
    JSON.parse(params) as never,
  );
  console.log(isRejected(outcome) ? outcome.rejection.message : 'performed');
} catch (error) {
  console.log((error as Error).message);
}
