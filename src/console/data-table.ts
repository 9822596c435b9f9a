import type { Cell, Column } from './cell.js';
import { button, element } from './element.js';

export interface DataTableParts<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Rows can be opened: by pointer, Enter, arrows to move. */
  readonly onOpen?: (row: Row) => void;
  /** Titles of columns with a rank can be pressed. */
  readonly onSort?: (column: Column<Row>) => void;
  readonly emptyText: string;
}

interface ShownRow<Row> {
  row: Row;
  readonly line: HTMLTableRowElement;
  readonly places: readonly HTMLTableCellElement[];
  /** What each place shows, to touch only what changes. */
  readonly shown: string[];
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** A table that is told all of its rows each time, and changes only what differs: focus and selection stay. */
export class DataTable<Row> {
  readonly element: HTMLElement;
  readonly #parts: DataTableParts<Row>;
  readonly #body = element('tbody');
  readonly #empty: HTMLElement;
  readonly #headings = new Map<Column<Row>, HTMLTableCellElement>();
  #rows = new Map<string, ShownRow<Row>>();

  constructor(parts: DataTableParts<Row>) {
    this.#parts = parts;
    const heads = parts.columns.map((column) => this.#heading(column));
    const table = element(
      'table',
      {},
      element('caption', { className: 'unseen' }, parts.caption),
      element('thead', {}, element('tr', {}, ...heads)),
      this.#body,
    );
    this.#empty = element('p', { className: 'empty' }, parts.emptyText);
    this.element = element('div', { className: 'table' }, table, this.#empty);
    if (parts.onOpen !== undefined) this.#body.addEventListener('keydown', (event) => this.#onKey(event));
  }

  show(rows: readonly Row[], selectedKey: string | null = null): void {
    const next = new Map<string, ShownRow<Row>>();
    let place = this.#body.firstElementChild;
    for (const row of rows) {
      const key = this.#parts.keyOf(row);
      const shown = this.#rows.get(key) ?? this.#newRow(row);
      next.set(key, shown);
      shown.row = row;
      this.#fill(shown);
      if (shown.line === place) place = place.nextElementSibling;
      else this.#body.insertBefore(shown.line, place);
      this.#mark(shown.line, key === selectedKey);
    }
    for (const [key, { line }] of this.#rows) if (!next.has(key)) line.remove();
    this.#rows = next;
    this.#empty.hidden = rows.length > 0;
    this.#keepReachable();
  }

  /** Shows by which column the rows are sorted. */
  showOrder(sorted: Column<Row>, isDescending: boolean): void {
    for (const [column, heading] of this.#headings) {
      if (column !== sorted) heading.removeAttribute('aria-sort');
      else heading.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
    }
  }

  #heading(column: Column<Row>): HTMLTableCellElement {
    const { onSort } = this.#parts;
    const content = onSort && column.rank ? button(column.title, 'sort', () => onSort(column)) : column.title;
    const className = column.isNumber === true ? 'number' : '';
    const heading = element('th', { className, attributes: { scope: 'col' } }, content);
    this.#headings.set(column, heading);
    return heading;
  }

  #newRow(row: Row): ShownRow<Row> {
    const places = this.#parts.columns.map(({ isNumber }) =>
      element('td', { className: isNumber === true ? 'number' : '' }),
    );
    const line = element('tr', {}, ...places);
    const shown: ShownRow<Row> = { row, line, places, shown: [] };
    const { onOpen } = this.#parts;
    if (onOpen !== undefined) {
      line.classList.add('opens');
      line.tabIndex = -1;
      line.addEventListener('click', () => onOpen(shown.row));
    }
    return shown;
  }

  #fill({ row, places, shown }: ShownRow<Row>): void {
    for (const [index, { cell }] of this.#parts.columns.entries()) {
      const content = cell(row);
      const print = JSON.stringify(content);
      if (shown[index] === print) continue;
      shown[index] = print;
      const place = places[index];
      if (place !== undefined) fillPlace(place, content);
    }
  }

  #mark(line: HTMLTableRowElement, isSelected: boolean): void {
    if (isSelected) line.setAttribute('aria-current', 'true');
    else line.removeAttribute('aria-current');
  }

  /** One row can be reached by Tab: the one in focus, else the selected, else the first. */
  #keepReachable(): void {
    if (this.#parts.onOpen === undefined) return;
    const lines = [...this.#rows.values()].map(({ line }) => line);
    const chosen =
      lines.find((line) => line === document.activeElement) ??
      lines.find((line) => line.hasAttribute('aria-current')) ??
      lines[0];
    for (const line of lines) line.tabIndex = line === chosen ? 0 : -1;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...this.#rows.values()];
    const index = rows.findIndex(({ line }) => line === event.target);
    const current = rows[index];
    if (current === undefined) return;
    const step = STEPS[event.key];
    if (step !== undefined) rows[index + step]?.line.focus();
    else if (event.key === 'Enter' || event.key === ' ') this.#parts.onOpen?.(current.row);
    else return;
    event.preventDefault();
    this.#keepReachable();
  }
}

function fillPlace(place: HTMLTableCellElement, { text, tone = 'plain', note, hint, isBadge, share }: Cell): void {
  const main = element('span', { className: `${isBadge === true ? 'badge ' : ''}${tone}` }, text);
  const noteLine = note === undefined ? [] : [element('small', { className: isBadge === true ? tone : '' }, note)];
  place.replaceChildren(main, ...(share === undefined ? [] : [bar(share)]), ...noteLine);
  place.title = hint ?? '';
}

function bar(share: number): HTMLProgressElement {
  const drawnShare = element('progress', { attributes: { max: '1', 'aria-label': 'share' } });
  drawnShare.value = share;
  return drawnShare;
}
