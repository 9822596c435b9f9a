import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleState } from '../console-state.js';
import { Control } from '../ticket/field-control.js';
import { ConfirmationField } from '../ticket/ticket-panel.js';
import type { OrderAmendment } from './order-amendment.js';

/** The form of an amendment: the present terms, of which the changed ones are sent. Each finding is below its field. */
export function AmendForm({ state, amendment }: { state: ConsoleState; amendment: OrderAmendment }) {
  const { fields, findings, failure, isSending } = amendment;
  const elsewhere = findings.filter(({ field }) => !fields.some(({ name }) => name === field));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[name=quantity]')?.focus(), []);
  return (
    <form
      ref={form}
      class="amend"
      aria-label="Amend the order"
      onSubmit={(event) => {
        event.preventDefault();
        state.proposeAmendment();
      }}
    >
      <fieldset disabled={isSending}>
        <div class="fields">
          {fields.map((field) => (
            <Control key={field.name} form={amendment} field={field} />
          ))}
        </div>
      </fieldset>
      <p class="quiet">
        Only changed fields are sent. A new duration replaces the end, a new end replaces the duration.
        {amendment.row.venues.length > 1 || amendment.row.strategy === 'PAIR'
          ? ' Quantity, price and execution are those of the leading leg.'
          : ''}
      </p>
      {[...elsewhere.map(({ text }) => text), ...(failure === null ? [] : [failure])].map((text) => (
        <p key={text} class="outcome" role="alert">
          {text}
        </p>
      ))}
      <ConfirmationField ticket={amendment} />
      <div class="tools">
        <button type="submit" class="primary" disabled={isSending || !amendment.isConfirmed}>
          {isSending ? 'Sending…' : amendment.isMore ? 'Amend…' : 'Amend'}
        </button>
        <button type="button" onClick={() => state.closeAmendment()}>
          Keep the order
        </button>
      </div>
    </form>
  );
}
