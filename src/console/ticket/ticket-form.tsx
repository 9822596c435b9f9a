import { useEffect, useRef, useState } from 'preact/hooks';
import { Big } from 'big.js';
import type { Instrument } from '../../client/wire.js';
import { decimalText } from '../view/figures.js';
import type { Session } from '../session.js';
import { applies, MAIN_FIELDS, MORE_FIELDS, type TicketField } from './ticket-fields.js';
import { quantityOf, type Finding, type OrderTicket, type TicketMarket } from './ticket.js';

interface ControlProps {
  readonly ticket: OrderTicket;
  readonly field: TicketField;
  readonly market: TicketMarket;
  /** Instruments of the exchange and the category. */
  readonly listed: readonly Instrument[];
}

/** The form of a ticket. Each finding of the preview is below its field. */
export function TicketForm({ session, ticket }: { session: Session; ticket: OrderTicket }) {
  const { values, stage, findings } = ticket;
  const instruments = useInstruments(session, values['exchange'] ?? '');
  const listed = instruments.filter(({ assetClass }) => assetClass === values['asset_category']);
  const instrument =
    listed.find(({ symbol }) => [symbol, shortSymbol(symbol)].includes(values['symbol'] ?? '')) ?? null;
  const { symbol, exchange } = instrument ?? {};
  useEffect(() => {
    session.watchMarket(symbol === undefined || exchange === undefined ? null : { exchange, symbol });
  }, [session, exchange, symbol]);
  const market = { instrument, bid: session.ticker?.bid ?? null, ask: session.ticker?.ask ?? null };
  const main = MAIN_FIELDS.filter((field) => applies(field, values));
  const more = MORE_FIELDS.filter((field) => applies(field, values));
  const elsewhere = findings.filter((finding) => !isAbout(finding, main) && !isAbout(finding, more));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[name=quantity]')?.focus(), []);
  const controls = (fields: readonly TicketField[]) => (
    <div class="fields">
      {fields.map((field) => (
        <Control key={field.name} ticket={ticket} field={field} market={market} listed={listed} />
      ))}
    </div>
  );
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void ticket.requestPreview(market);
      }}
    >
      <fieldset disabled={ticket.isLocked}>
        {controls(main)}
        <MarketLine market={market} />
        <details open={findings.some((finding) => isAbout(finding, more)) || undefined}>
          <summary>More parameters</summary>
          {controls(more)}
        </details>
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

/** A label, the control of its kind, and the findings about it. */
function Control(props: ControlProps) {
  const { ticket, field } = props;
  const { name, label, kind } = field;
  const id = idOf(name);
  const wrong = ticket.findings.filter((finding) => finding.field === name);
  return (
    <div class={`field ${kind}${wrong.length > 0 ? ' wrong' : ''}`}>
      <label for={id}>{label}</label>
      {kind === 'side' ? <Sides ticket={ticket} id={id} /> : <Input {...props} isWrong={wrong.length > 0} />}
      {wrong.map(({ text }) => (
        <small key={text} class="bad" id={`${id}-finding`}>
          {text}
        </small>
      ))}
    </div>
  );
}

function Input({ ticket, field, market, listed, isWrong }: ControlProps & { readonly isWrong: boolean }) {
  const { name, kind, choices = [], placeholder } = field;
  const id = idOf(name);
  const value = ticket.values[name] ?? '';
  const set = (event: { readonly currentTarget: { readonly value: string } }): void =>
    ticket.set(name, kind === 'symbol' ? event.currentTarget.value.toUpperCase() : event.currentTarget.value);
  const common = { id, name, 'aria-invalid': isWrong, 'aria-describedby': isWrong ? `${id}-finding` : undefined };
  if (kind === 'flag') {
    const toggle = (): void => ticket.set(name, value === '' ? 'true' : '');
    return <input {...common} type="checkbox" checked={value !== ''} onChange={toggle} />;
  }
  if (kind === 'choice') {
    return (
      <select {...common} value={value} onChange={set}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === '' ? 'default' : choice}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = kind === 'decimal' || kind === 'size';
  const input = (
    <input
      {...common}
      value={value}
      placeholder={placeholder}
      class={isNumber ? 'number' : ''}
      list={kind === 'symbol' ? 'symbols' : undefined}
      autocomplete="off"
      spellcheck={false}
      onInput={set}
    />
  );
  if (kind === 'size') return <Size ticket={ticket} market={market} input={input} />;
  if (kind !== 'symbol') return input;
  return (
    <>
      {input}
      <datalist id="symbols">
        {listed.map(({ symbol }) => (
          <option key={symbol} value={shortSymbol(symbol)} />
        ))}
      </datalist>
    </>
  );
}

function Sides({ ticket, id }: { ticket: OrderTicket; id: string }) {
  return (
    <div class="sides" role="group" id={id} aria-label="Side">
      {['BUY', 'SELL'].map((side) => (
        <button
          key={side}
          type="button"
          class={side.toLowerCase()}
          aria-pressed={ticket.values['side'] === side}
          onClick={() => ticket.set('side', side)}
        >
          {side}
        </button>
      ))}
    </div>
  );
}

/** The size in base units, or as an amount of quote currency with the quantity that it makes. */
function Size({ ticket, market, input }: { ticket: OrderTicket; market: TicketMarket; input: preact.JSX.Element }) {
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

function MarketLine({ market: { instrument, bid, ask } }: { market: TicketMarket }) {
  if (instrument === null) return <p class="market quiet">This exchange does not list the symbol.</p>;
  const { quantityPrecision, pricePrecision, quantityStep, priceStep, minQuantityLimit, minCostLimit } = instrument;
  const { baseAsset, quoteAsset } = instrument;
  return (
    <p class="market">
      <span>
        Bid <b class="good">{bid === null ? '–' : decimalText(bid)}</b>
      </span>
      <span>
        Ask <b class="bad">{ask === null ? '–' : decimalText(ask)}</b>
      </span>
      <span class="quiet">
        lot {stepText(quantityPrecision, quantityStep)} · tick {stepText(pricePrecision, priceStep)} · minimum{' '}
        {decimalText(minQuantityLimit)} {baseAsset} and {decimalText(minCostLimit)} {quoteAsset}
      </span>
    </p>
  );
}

function isAbout({ field }: Finding, fields: readonly TicketField[]): boolean {
  return fields.some(({ name }) => name === field);
}

/** One step of a grid: 10^-precision. */
function stepText(precision: number, step = 1): string {
  return new Big(step).times(`1e-${precision}`).toFixed();
}

/** A perpetual without its settlement currency; a create request with FUTURE takes it. */
function shortSymbol(symbol: string): string {
  return symbol.split(':', 1)[0] ?? symbol;
}

function idOf(name: string): string {
  return `ticket-${name.replaceAll('.', '-')}`;
}

/** The instruments of an exchange; empty until they are read. */
function useInstruments(session: Session, exchange: string): readonly Instrument[] {
  const [listed, setListed] = useState<readonly Instrument[]>([]);
  useEffect(() => {
    let isCurrent = true;
    setListed([]);
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
