import { CommandFailure } from './context.js';

type Refused = { readonly rejection: { readonly message: string } };

/** What an operator's command has brought about; why it has not ends the command. */
export function granted<Result extends object>(result: Result): Exclude<Result, Refused> {
  if ('rejection' in result) throw new CommandFailure((result as Refused).rejection.message);
  return result as Exclude<Result, Refused>;
}
