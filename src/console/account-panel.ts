import { TRADING_EXCHANGES } from '../client/frames.js';
import type { Balance, Position } from '../client/wire.js';
import { BALANCE_COLUMNS, POSITION_COLUMNS } from './account-columns.js';
import type { AccountView } from './account-view.js';
import { DataTable } from './data-table.js';
import { element } from './element.js';

/** Balances and positions at one venue. */
export class AccountPanel {
  readonly element: HTMLElement;
  readonly #venue: HTMLSelectElement;
  readonly #balances: DataTable<Balance>;
  readonly #positions: DataTable<Position>;

  constructor(onChoose: (venue: string) => void) {
    const choices = TRADING_EXCHANGES.map((name) => element('option', {}, name));
    this.#venue = element('select', {}, ...choices);
    this.#venue.addEventListener('change', () => onChoose(this.#venue.value));
    const balances = { caption: 'Balances', columns: BALANCE_COLUMNS, emptyText: 'No balances here.' };
    this.#balances = new DataTable({ ...balances, keyOf: ({ symbol }) => symbol });
    const positions = { caption: 'Positions', columns: POSITION_COLUMNS, emptyText: 'No open positions here.' };
    this.#positions = new DataTable({ ...positions, keyOf: ({ symbol }) => symbol });
    this.element = element(
      'section',
      { attributes: { 'aria-label': 'Account' } },
      element('div', { className: 'tools' }, element('h2', {}, 'Account'), element('label', {}, 'at ', this.#venue)),
      element('h3', {}, 'Positions'),
      this.#positions.element,
      element('h3', {}, 'Balances'),
      this.#balances.element,
    );
  }

  get venue(): string {
    return this.#venue.value;
  }

  show(account: AccountView | null): void {
    this.#balances.show(account?.balances ?? []);
    this.#positions.show(account?.positions ?? []);
  }
}
