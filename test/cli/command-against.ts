import { API_KEY, API_SECRET, type FakeService } from '../client/fake-service.js';
import { sluice, type Outcome } from './command-line.js';

/** Runs the command as a user whose environment names the service and a key of it. */
export function commandAgainst(service: FakeService, ...args: string[]): Promise<Outcome> {
  return sluice(args, { SLUICE_URL: service.url, SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: API_SECRET });
}
