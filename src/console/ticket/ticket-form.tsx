import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Instrument } from '../../client/wire.js';
import type { ConsoleState } from '../console-state.js';
import type { Session } from '../session.js';
import { Control, instrumentNamed } from './field-control.js';
import { MarketPanel } from './market-panel.js';
import { type LegIndex, LEGS, legFields, legPath, legValues, PAIR, PAIR_FIELDS } from './pair-fields.js';
import { applies, MAIN_FIELDS, MORE_FIELDS, type TicketField, type TicketValues } from './ticket-fields.js';
import { type Finding, quantityOf, type TicketMarket } from './ticket-request.js';
import type { OrderTicket } from './ticket.js';

interface TicketFormProps {
  readonly state: ConsoleState;
  readonly session: Session;
  readonly ticket: OrderTicket;
}

/** The form of a ticket, of one leg or of two. Each finding of the preview is below its field. */
export function TicketForm({ state, session, ticket }: TicketFormProps) {
  const { values, stage, findings, isPair } = ticket;
  const first = useListing(session, isPair ? legValues(values, 0) : values);
  const second = useListing(session, isPair ? legValues(values, 1) : NO_VALUES);
  const listings = [first, second];
  const names = listings.flatMap(({ instrument: one }) =>
    one === null ? [] : [{ exchange: one.exchange, symbol: one.symbol }],
  );
  useEffect(() => state.market?.watch(names), [state.market, JSON.stringify(names)]);
  const markets = listings.map(({ instrument }): TicketMarket => {
    const { bid = null, ask = null } = state.market?.view(instrument, false) ?? {};
    return { instrument, bid, ask };
  });
  const shown = shownFields(values, isPair);
  const elsewhere = findings.filter((finding) => !isAbout(finding, shown));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[name=quantity]')?.focus(), []);
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void ticket.requestPreview(...markets);
      }}
    >
      <fieldset disabled={ticket.isLocked}>
        {isPair ? (
          <PairFields state={state} session={session} ticket={ticket} listings={listings} />
        ) : (
          <OrderFields state={state} session={session} ticket={ticket} listing={first} market={markets[0]} />
        )}
        {elsewhere.map(({ text }) => (
          <p key={text} class="outcome" role="alert">
            {text}
          </p>
        ))}
        <button type="submit" class="primary" disabled={stage === 'PREVIEWING' || ticket.isLocked}>
          {stage === 'PREVIEWING' ? 'Previewing…' : 'Preview'}
        </button>
      </fieldset>
    </form>
  );
}

const NO_VALUES: TicketValues = {};

/** The fields that are in the form. */
function shownFields(values: TicketValues, isPair: boolean): readonly TicketField[] {
  if (!isPair) return [...MAIN_FIELDS, ...MORE_FIELDS].filter((field) => applies(field, values));
  const ofLegs = LEGS.map((leg) => legFields(values, leg)).flatMap(({ main, more }) => [...main, ...more]);
  return [STRATEGY, ...PAIR_FIELDS, ...ofLegs];
}

/** The field of the strategy, with PAIR. */
const STRATEGY: TicketField = withPair(MAIN_FIELDS.find(({ name }) => name === 'strategy')!);

function withPair(field: TicketField): TicketField {
  return { ...field, choices: [...(field.choices ?? []), PAIR] };
}

interface OrderFieldsProps extends TicketFormProps {
  readonly listing: Listing;
  readonly market: TicketMarket | undefined;
}

function OrderFields({ state, session, ticket, listing, market }: OrderFieldsProps) {
  const { values } = ticket;
  const more = MORE_FIELDS.filter((field) => applies(field, values));
  const controls = (fields: readonly TicketField[]): JSX.Element => (
    <div class="fields">
      {fields.map((field) => (
        <Control
          key={field.name}
          form={ticket}
          field={field.name === 'strategy' ? STRATEGY : field}
          {...listing}
          wrap={
            field.kind === 'size' && market !== undefined
              ? (input) => <Size ticket={ticket} market={market} input={input} />
              : undefined
          }
        />
      ))}
    </div>
  );
  return (
    <>
      {controls(MAIN_FIELDS.filter((field) => applies(field, values)))}
      <MarketPanel
        state={state}
        session={session}
        instrument={listing.instrument}
        onPrice={(price) => ticket.set('limit_price', price)}
      />
      <More fields={more} findings={ticket.findings}>
        {controls(more)}
      </More>
    </>
  );
}

/** Two legs, each with its market, and the terms of the whole order. */
function PairFields({ listings, ...props }: TicketFormProps & { readonly listings: readonly Listing[] }) {
  const { ticket } = props;
  return (
    <>
      <div class="fields">
        {[STRATEGY, ...PAIR_FIELDS].map((field) => (
          <Control key={field.name} form={ticket} field={field} />
        ))}
      </div>
      {LEGS.map((leg) => (
        <Leg key={leg} {...props} leg={leg} listing={listings[leg] ?? NO_LISTING} />
      ))}
    </>
  );
}

function Leg({ state, session, ticket, leg, listing }: TicketFormProps & { leg: LegIndex; listing: Listing }) {
  const { main, more } = legFields(ticket.values, leg);
  const controls = (fields: readonly TicketField[]): JSX.Element => (
    <div class="fields">
      {fields.map((field) => (
        <Control key={field.name} form={ticket} field={field} {...listing} />
      ))}
    </div>
  );
  return (
    <fieldset class="leg">
      <legend>Leg {leg + 1}</legend>
      {controls(main)}
      <MarketPanel
        state={state}
        session={session}
        instrument={listing.instrument}
        onPrice={(price) => ticket.set(legPath(leg, 'limit_price'), price)}
      />
      {more.length > 0 && (
        <More fields={more} findings={ticket.findings}>
          {controls(more)}
        </More>
      )}
    </fieldset>
  );
}

interface MoreProps {
  readonly fields: readonly TicketField[];
  readonly findings: readonly Finding[];
  readonly children: JSX.Element;
}

/** Further fields, open while one of them has a finding. */
function More({ fields, findings, children }: MoreProps) {
  return (
    <details open={findings.some((finding) => isAbout(finding, fields)) || undefined}>
      <summary>More parameters</summary>
      {children}
    </details>
  );
}

/** The size in base units, or as an amount of quote currency with the quantity that it makes. */
function Size({ ticket, market, input }: { ticket: OrderTicket; market: TicketMarket; input: JSX.Element }) {
  const { values } = ticket;
  const [base, quote] = [market.instrument?.baseAsset ?? 'base', market.instrument?.quoteAsset ?? 'quote'];
  // The previewed quantity is sent, also when the market moves meanwhile.
  const quantity = values['sizing'] === 'QUOTE' ? (ticket.request?.quantity ?? quantityOf(values, market)) : '';
  return (
    <>
      <span class="pair">
        {input}
        <select
          aria-label="Currency of the quantity"
          value={values['sizing']}
          onChange={(event) => ticket.set('sizing', event.currentTarget.value)}
        >
          <option value="BASE">{base}</option>
          <option value="QUOTE">{quote}</option>
        </select>
      </span>
      {quantity !== '' && <small>{quantity === null ? 'no price yet' : `= ${quantity} ${base}, rounded down`}</small>}
    </>
  );
}

function isAbout({ field }: Finding, fields: readonly TicketField[]): boolean {
  return fields.some(({ name }) => name === field);
}

/** What an exchange lists in a category, and the instrument that the symbol names. */
interface Listing {
  readonly listed: readonly Instrument[];
  readonly instrument: Instrument | null;
}

const NO_LISTING: Listing = { listed: [], instrument: null };

function useListing(session: Session, values: TicketValues): Listing {
  const instruments = useInstruments(session, values['exchange'] ?? '');
  const listed = instruments.filter(({ assetClass }) => assetClass === values['asset_category']);
  return { listed, instrument: instrumentNamed(listed, values['symbol'] ?? '') };
}

/** The instruments of an exchange; empty until they are read. */
function useInstruments(session: Session, exchange: string): readonly Instrument[] {
  const [listed, setListed] = useState<readonly Instrument[]>([]);
  useEffect(() => {
    let isCurrent = true;
    setListed([]);
    if (exchange === '') return undefined;
    session.instruments(exchange).then(
      (read) => isCurrent && setListed(read),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [session, exchange]);
  return listed;
}
