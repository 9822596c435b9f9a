import { API_KEY, API_SECRET, type FakeService } from '../client/fake-service.js';
import { sluice, type Outcome } from './command-line.js';

/** Runs the command with the service and a key of it in the environment. */
export function commandAgainst(service: FakeService, ...args: string[]): Promise<Outcome> {
  return sluice(args, { SLUICE_URL: service.url, SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: API_SECRET });
}
