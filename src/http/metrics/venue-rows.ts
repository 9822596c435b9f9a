import { type MetricRow, single } from './metric-row.js';
import type { ServiceFigures } from './service-figures.js';

/** The connections to the exchanges, and how they are used. */
export function exchangeRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_venue_up', '1 while the venue thread is up.', () => Number(figures.isVenueUp())),
    {
      kind: 'gauge',
      name: 'sluice_venue_link_up',
      help: '1 while the venue is connected.',
      labels: ['venue'],
      read: () => Object.entries(figures.venueLinks()).map(([venue, isUp]) => [[venue], Number(isUp)]),
    },
    {
      kind: 'gauge',
      name: 'sluice_exchange_mode',
      help: '1 for the mode in which the service trades at the exchange: simulated, testnet or live.',
      labels: ['venue', 'mode'],
      read: () => figures.exchanges().map(({ venue, mode }) => [[venue, mode], 1]),
    },
    {
      kind: 'gauge',
      name: 'sluice_live_accounts_down',
      help: 'Accounts at a real exchange without a connection: no key, a refused key, or a lost connection.',
      labels: ['venue'],
      read: () =>
        figures
          .exchanges()
          .filter(({ mode }) => mode !== 'simulated')
          .map(({ venue, accountsDown }) => [[venue], accountsDown]),
    },
  ];
}

/** The requests to the exchanges and their limits. */
export function venueRequestRows({ venueRequests, venueRates, venueBansMs }: ServiceFigures): readonly MetricRow[] {
  const labels = ['venue', 'class'];
  const of = (name: 'sent' | 'delayed' | 'refused' | 'withdrawn' | 'waiting') => (): ReturnType<MetricRow['read']> =>
    venueRequests().map((one) => [[one.venue, one.requestClass], one[name]]);
  const rows = [
    ['counter', 'sluice_venue_requests_total', 'Requests about child orders sent to a venue.', of('sent')],
    [
      'counter',
      'sluice_venue_requests_delayed_total',
      'Requests that waited because the request budget of their account was used up.',
      of('delayed'),
    ],
    [
      'counter',
      'sluice_venue_requests_refused_total',
      'Requests that were refused because they waited too long, or because too many were waiting.',
      of('refused'),
    ],
    [
      'counter',
      'sluice_venue_requests_withdrawn_total',
      'Requests that were replaced by a cancel or a status request before they were sent.',
      of('withdrawn'),
    ],
    ['gauge', 'sluice_venue_requests_waiting', 'Requests that wait for the budget.', of('waiting')],
  ] as const;
  return [
    ...rows.map(([kind, name, help, read]) => ({ kind, name, help, labels, read })),
    {
      kind: 'gauge',
      name: 'sluice_venue_request_rate_limit',
      help: 'Requests per second that the venue accepts from one account; absent for a venue without a bound.',
      labels: ['venue'],
      read: () => Object.entries(venueRates()).map(([venue, rate]) => [[venue], rate]),
    },
    {
      kind: 'gauge',
      name: 'sluice_venue_ban_seconds',
      help: 'Seconds until the venue takes requests of this address again, cancels too; absent: it takes them now.',
      labels: ['venue'],
      read: () => Object.entries(venueBansMs()).map(([venue, ms]) => [[venue], ms / 1000]),
    },
  ];
}
