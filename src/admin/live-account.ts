import type { RealMode, VenueEnvironment } from '../domain/exchange.js';
import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import type { VenueKeyPlace } from '../keys/port.js';
import { describePlace } from '../keys/venue-key-row.js';
import { parseVenueKeyPlace, type VenueKeyPlaceNames } from '../keys/venue-key-store.js';
import type { Identity } from '../runtime/identity.js';
import type { ProbeLine } from '../venue/live/account-probe.js';
import { refusalOfModes } from '../venue/live/live-modes.js';
import type { AdminSite } from './admin-site.js';

/** A key that expires within this time is worth a warning. */
const EXPIRY_MS_WARNING = 7 * 86_400_000;

export interface LiveAccountRequest {
  readonly exchange: string;
  readonly account?: string | undefined;
  readonly subaccount?: string | undefined;
  readonly environment?: VenueEnvironment | undefined;
  /** Of the exchange in SLUICE_LIVE of the command; null: none. */
  readonly mode: RealMode | null;
  /** SLUICE_LIVE_CONFIRM of the command. */
  readonly confirmation?: string | undefined;
}

export interface LiveAccount {
  readonly place: VenueKeyPlace;
  /** The sealed key, Base64. The command opens it with the master key. null: it does not open, and a line says why. */
  readonly row: string | null;
  readonly lines: readonly ProbeLine[];
}

/** Finds the account of a real exchange, and checks what the data directory has of it. The exchange is not asked. */
export function liveAccount({ identity }: AdminSite, request: LiveAccountRequest): OrRejection<LiveAccount> {
  const found = placeOf(identity, request);
  return isRejected(found) ? found : accountOf(identity, found, request.confirmation);
}

/** The only place with a key that the options name. */
function placeOf({ venueKeys }: Identity, request: LiveAccountRequest): OrRejection<VenueKeyPlace> {
  const { environment = request.mode ?? undefined, account, subaccount } = request;
  const names: VenueKeyPlaceNames = {
    account: account ?? 'any',
    subaccount,
    exchange: request.exchange,
    environment: environment ?? 'live',
  };
  const named = parseVenueKeyPlace(names);
  if (isRejected(named)) return named;
  const found = venueKeys
    .list()
    .map(({ place }) => place)
    .filter(
      (place) =>
        place.venue === named.venue &&
        place.subaccount === named.subaccount &&
        (account === undefined || place.account === account) &&
        (environment === undefined || place.environment === environment),
    );
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const wanted = [
    account === undefined ? '' : ` of account ${account}`,
    environment === undefined ? '' : ` in ${environment}`,
  ];
  if (first === undefined) {
    return reject(
      'INVALID_REQUEST',
      `no key${wanted.join('')} at ${named.venue}: store one with sluice venue-keys add`,
    );
  }
  const places = found.map((place) => describePlace(place)).join('; ');
  return reject('INVALID_REQUEST', `several keys fit, choose with --account and --environment: ${places}`);
}

/** What the data directory says about the account, before the exchange is asked. */
function accountOf(identity: Identity, place: VenueKeyPlace, confirmation: string | undefined): LiveAccount {
  const { account, venue, environment } = place;
  const lines: ProbeLine[] = [];
  const say = (name: string, state: ProbeLine['state'], message: string, advice: string | null = null): void => {
    lines.push({ wallet: [], check: name, state, message, advice, figures: {} });
  };
  const modes = new Map([[venue, environment]]);
  const refusal = refusalOfModes({ modes, confirmation: 'real-money', simSpeed: 1 });
  if (refusal === null) say('release', 'OK', `this release trades ${venue}:${environment}`);
  else say('release', 'REFUSED', refusal, `trade ${venue} in the simulation`);
  if (environment === 'live') {
    const unconfirmed = refusalOfModes({ modes, confirmation, simSpeed: 1 });
    if (refusal === null && unconfirmed !== null) {
      say('confirmation', 'WARN', 'real money', 'start the service with SLUICE_LIVE_CONFIRM=real-money');
    }
  }
  const credentials = identity.venueKeyDirectory.find(place);
  const again = 'store a key with sluice venue-keys add --replace';
  if (credentials === null) say('stored key', 'REFUSED', 'the key has expired', again);
  else if (isRejected(credentials)) say('stored key', 'REFUSED', credentials.rejection.message, again);
  else {
    const { expiresAtMs, kind } = credentials;
    const endsSoon = expiresAtMs !== null && expiresAtMs - Date.now() < EXPIRY_MS_WARNING;
    if (endsSoon) say('stored key', 'WARN', `expires at ${new Date(expiresAtMs).toISOString()}`, again);
    else say('stored key', 'OK', `a key of the kind ${kind} opens`);
  }
  const hasKey = identity.keys.list().some((key) => key.account === account && key.revokedAtMs === null);
  const create = `sluice keys create --account ${account} --permissions trade`;
  if (hasKey) say('service key', 'OK', `account ${account} has an API key of Sluice`);
  else say('service key', 'WARN', `account ${account} has no API key of Sluice`, create);
  const set = `sluice risk-limits set --account ${account}`;
  if (identity.riskLimitDirectory.hasLimits(account)) say('risk limits', 'OK', 'are set');
  else say('risk limits', environment === 'live' ? 'REFUSED' : 'WARN', 'are not set', set);
  const stopped = identity.riskLimitDirectory.killSwitchOf(account);
  if (stopped === null) say('kill switch', 'OK', 'is not engaged');
  else {
    const scope = stopped.scope === 'service' ? '--all' : `--account ${account}`;
    say('kill switch', 'REFUSED', `is engaged by ${stopped.by}`, `sluice kill-switch release ${scope}`);
  }
  const restore = identity.trading.restore();
  if (restore?.isHalted === true && !restore.exempt.includes(account)) {
    say('restore', 'REFUSED', 'trading is halted after a restore', 'sluice trading status');
  }
  const row = isRejected(credentials) ? null : identity.venueKeyDirectory.rowOf(place);
  return { place, row: row?.toString('base64') ?? null, lines };
}
