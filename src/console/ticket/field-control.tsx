import type { JSX } from 'preact';
import type { Instrument } from '../../client/wire.js';
import type { TicketField } from './ticket-fields.js';
import type { FieldForm } from './ticket-request.js';

export interface ControlProps {
  readonly form: FieldForm;
  readonly field: TicketField;
  /** Instruments of the exchange and the category. */
  readonly listed?: readonly Instrument[];
  readonly instrument?: Instrument | null;
  /** Adds further controls to the input. */
  readonly wrap?: ((input: JSX.Element) => JSX.Element) | undefined;
}

interface Wrongness {
  readonly isWrong: boolean;
}

/** The instrument that a symbol names, with or without its settlement currency. */
export function instrumentNamed(listed: readonly Instrument[], name: string): Instrument | null {
  return listed.find(({ symbol }) => [symbol, shortSymbol(symbol)].includes(name)) ?? null;
}

/** A label, the control of its kind, and the findings about it. */
export function Control(props: ControlProps) {
  const { form, field } = props;
  const { name, label, kind } = field;
  const id = idOf(name);
  const wrong = form.findings.filter((finding) => finding.field === name);
  return (
    <div class={`field ${kind}${wrong.length > 0 ? ' wrong' : ''}`}>
      <label for={id}>{label}</label>
      {kind === 'side' ? <Sides form={form} name={name} id={id} /> : <Input {...props} isWrong={wrong.length > 0} />}
      {wrong.map(({ text }) => (
        <small key={text} class="bad" id={`${id}-finding`}>
          {text}
        </small>
      ))}
    </div>
  );
}

function Input({ form, field, listed = [], instrument = null, wrap, isWrong }: ControlProps & Wrongness) {
  const { name, kind, placeholder } = field;
  const assets = kind === 'currency' && instrument !== null ? [instrument.quoteAsset, instrument.baseAsset] : [];
  const choices = field.choices ?? assets;
  const id = idOf(name);
  const value = form.values[name] ?? '';
  const set = (event: { readonly currentTarget: { readonly value: string } }): void =>
    form.set(name, kind === 'symbol' ? event.currentTarget.value.toUpperCase() : event.currentTarget.value);
  const common = { id, name, 'aria-invalid': isWrong, 'aria-describedby': isWrong ? `${id}-finding` : undefined };
  if (kind === 'flag') {
    const toggle = (): void => form.set(name, value === '' ? 'true' : '');
    return <input {...common} type="checkbox" checked={value !== ''} onChange={toggle} />;
  }
  if (choices.length > 0) {
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
      list={kind === 'symbol' ? `${id}-symbols` : undefined}
      autocomplete="off"
      spellcheck={false}
      onInput={set}
    />
  );
  if (kind !== 'symbol') return wrap === undefined ? input : wrap(input);
  return (
    <>
      {input}
      <datalist id={`${id}-symbols`}>
        {listed.map(({ symbol }) => (
          <option key={symbol} value={shortSymbol(symbol)} />
        ))}
      </datalist>
    </>
  );
}

function Sides({ form, name, id }: { form: FieldForm; name: string; id: string }) {
  return (
    <div class="sides" role="group" id={id} aria-label="Side">
      {['BUY', 'SELL'].map((side) => (
        <button
          key={side}
          type="button"
          class={side.toLowerCase()}
          aria-pressed={form.values[name] === side}
          onClick={() => form.set(name, side)}
        >
          {side}
        </button>
      ))}
    </div>
  );
}

/** A perpetual without its settlement currency; a create request with FUTURE takes it. */
function shortSymbol(symbol: string): string {
  return symbol.split(':', 1)[0] ?? symbol;
}

function idOf(name: string): string {
  return `ticket-${name.replaceAll(/\W+/g, '-')}`;
}
