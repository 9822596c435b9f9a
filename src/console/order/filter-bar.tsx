import type { RefObject } from 'preact';
import { FILTER_CHOICES, instantOf, isFiltering, localMinute, NO_FILTER, type OrderFilter } from './order-filter.js';

export interface FilterBarProps {
  readonly filter: OrderFilter;
  readonly onFilter: (filter: OrderFilter) => void;
  /** The text field, for the shortcut of the page. */
  readonly textField: RefObject<HTMLInputElement | null>;
}

const CHOICES = [
  { name: 'exchange', title: 'Exchange' },
  { name: 'side', title: 'Side' },
  { name: 'status', title: 'Status' },
] as const;
const ONLY_RECENT = 'Creation of the order, in the time zone of this machine. Ended orders are listed for three days.';

/** The conditions of the list of orders. */
export function FilterBar({ filter, onFilter, textField }: FilterBarProps) {
  const change = (part: Partial<OrderFilter>): void => onFilter({ ...filter, ...part });
  return (
    <form class="filters" role="search" aria-label="Filter orders" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={textField}
        type="search"
        placeholder="Filter ( / )"
        aria-label="Filter orders by text"
        value={filter.text}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      {CHOICES.map(({ name, title }) => (
        <select
          key={name}
          name={name}
          aria-label={title}
          class={filter[name] === '' ? '' : 'set'}
          value={filter[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        >
          <option value="">{title}: any</option>
          {FILTER_CHOICES[name].map((value) => (
            <option key={value} value={value}>
              {value.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      ))}
      <label title={ONLY_RECENT}>
        Created from{' '}
        <input
          type="datetime-local"
          name="from"
          class={filter.fromMs === null ? '' : 'set'}
          value={localMinute(filter.fromMs)}
          onChange={(event) => change({ fromMs: instantOf(event.currentTarget.value, 'first') })}
        />
      </label>
      <label title={ONLY_RECENT}>
        to{' '}
        <input
          type="datetime-local"
          name="to"
          class={filter.toMs === null ? '' : 'set'}
          value={localMinute(filter.toMs)}
          onChange={(event) => change({ toMs: instantOf(event.currentTarget.value, 'last') })}
        />
      </label>
      {isFiltering(filter) && (
        <button type="button" onClick={() => onFilter(NO_FILTER)}>
          Clear filters
        </button>
      )}
    </form>
  );
}
