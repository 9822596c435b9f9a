import type { Column } from './cell.js';
import { DataTable } from './data-table.js';
import { button, element, setText } from './element.js';
import { countText } from './figures.js';
import type { BoardView, KnownOrder, OrderBoard } from './order-board.js';
import { orderColumns } from './order-columns.js';

export interface OrderPanelParts {
  /** Service time. */
  readonly nowMs: () => number;
  readonly onOpen: (orderId: number) => void;
  readonly onCancelAll: (openCount: number) => void;
  /** The choice of rows has changed. */
  readonly onChange: () => void;
}

/** Rows in the table at once; a filter finds the others. */
const ROWS_MAX = 200;
const VIEWS: readonly { readonly view: BoardView; readonly title: string }[] = [
  { view: 'open', title: 'Open' },
  { view: 'quarantined', title: 'Quarantined' },
  { view: 'attention', title: 'Attention' },
  { view: 'ended', title: 'Ended' },
];
const BY_ID = 'Order';

/** The orders of the account: open ones, those that need a look, those that are over. */
export class OrderPanel {
  readonly element: HTMLElement;
  readonly #parts: OrderPanelParts;
  readonly #table: DataTable<KnownOrder>;
  readonly #tabs = new Map<BoardView, HTMLButtonElement>();
  readonly #filter: HTMLInputElement;
  readonly #more = element('p', { className: 'empty' });
  readonly #cancelAll: HTMLButtonElement;
  #view: BoardView = 'open';
  #sorted: Column<KnownOrder>;
  #isDescending = true;
  #openCount = 0;

  constructor(parts: OrderPanelParts) {
    this.#parts = parts;
    const columns = orderColumns(parts.nowMs);
    this.#sorted = columns.find(({ title }) => title === BY_ID) as Column<KnownOrder>;
    this.#table = new DataTable({
      caption: 'Orders',
      columns,
      keyOf: ({ row }) => String(row.orderId),
      onOpen: ({ row }) => parts.onOpen(row.orderId),
      onSort: (column) => this.#sortBy(column),
      emptyText: 'No orders here.',
    });
    this.#filter = element('input', {
      attributes: { type: 'search', placeholder: 'Filter ( / )', 'aria-label': 'Filter orders' },
    });
    this.#filter.addEventListener('input', parts.onChange);
    this.#cancelAll = button('Cancel all…', 'danger', () => parts.onCancelAll(this.#openCount));
    for (const { view, title } of VIEWS)
      this.#tabs.set(
        view,
        button(title, 'tab', () => this.#look(view)),
      );
    this.element = element(
      'section',
      { attributes: { 'aria-label': 'Orders' } },
      element('div', { className: 'tools' }, ...this.#tabs.values(), this.#filter, this.#cancelAll),
      this.#table.element,
      this.#more,
    );
  }

  focusFilter(): void {
    this.#filter.focus();
  }

  /** Shows the board, and returns the orders that are in sight. */
  show(board: OrderBoard, selectedId: number | null): readonly KnownOrder[] {
    const words = this.#filter.value.split(/\s+/).filter((word) => word !== '');
    const rank = this.#sorted.rank ?? (({ row }: KnownOrder) => row.orderId);
    const question = { view: this.#view, words, rank, isDescending: this.#isDescending, rowsMax: ROWS_MAX };
    const { orders, hiddenCount, counts } = board.answer(question);
    this.#table.show(orders, selectedId === null ? null : String(selectedId));
    this.#table.showOrder(this.#sorted, this.#isDescending);
    for (const { view, title } of VIEWS) this.#showTab(view, `${title} ${countText(counts[view])}`, counts[view] > 0);
    this.#openCount = counts.open;
    this.#cancelAll.disabled = counts.open === 0;
    this.#more.hidden = hiddenCount === 0;
    setText(this.#more, `${countText(hiddenCount)} more match: filter to see them.`);
    return orders;
  }

  #showTab(view: BoardView, text: string, hasRows: boolean): void {
    const tab = this.#tabs.get(view);
    if (tab === undefined) return;
    setText(tab, text);
    tab.setAttribute('aria-pressed', String(view === this.#view));
    tab.classList.toggle('bad', view !== 'open' && view !== 'ended' && hasRows);
  }

  #look(view: BoardView): void {
    this.#view = view;
    this.#parts.onChange();
  }

  #sortBy(column: Column<KnownOrder>): void {
    this.#isDescending = column === this.#sorted ? !this.#isDescending : true;
    this.#sorted = column;
    this.#parts.onChange();
  }
}
