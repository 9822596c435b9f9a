import type { ComponentChildren } from 'preact';
import type { ModeMark } from '../live-mode.js';
import type { Cell, TableColumn } from './columns.js';
import type { Fact } from '../order/order-facts.js';

export interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly emptyText: string;
  /** Rows open on a click and on Enter; the arrow keys move between them. */
  readonly onOpen?: (row: Row) => void;
  readonly openKey?: string | null;
  /** Columns with a rank sort on a click. */
  readonly onSort?: (column: TableColumn<Row>) => void;
  readonly sorted?: { readonly title: string; readonly isDescending: boolean };
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** A table in its own scroll area. Preact keeps the rows by key, so that focus and selection survive an update. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, emptyText, onOpen, openKey = null } = props;
  const keys = rows.map(keyOf);
  const reachableKey = openKey !== null && keys.includes(openKey) ? openKey : keys[0];
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={onOpen === undefined ? 0 : -1}>
      {/* A narrow page lays a table out as a list: the roles keep it a table for a screen reader. */}
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">{columns.map((column) => heading(column, props))}</tr>
        </thead>
        <tbody role="rowgroup" onKeyDown={onOpen === undefined ? undefined : moveFocus}>
          {rows.map((row, index) => (
            <tr
              role="row"
              key={keys[index]}
              {...(onOpen === undefined ? {} : opening(() => onOpen(row), keys[index] === reachableKey))}
              aria-current={openKey !== null && keys[index] === openKey ? 'true' : undefined}
            >
              {columns.map((column) => (
                <Place key={column.title} title={column.title} cell={column.cell(row)} className={classOf(column)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">{emptyText}</p>}
    </div>
  );
}

/** A text as a word in a frame. */
export function Badge({ tone, title, children }: { tone: string; title?: string; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** The mode of an exchange as a badge. */
export function ModeBadge({ mark: { word, tone, hint } }: { mark: ModeMark }) {
  return (
    <Badge tone={tone} title={hint}>
      {word}
    </Badge>
  );
}

/** Names with their values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, text, tone = 'plain', isWide = false }, index) => (
        <div key={`${index} ${name}`} class={isWide ? 'wide' : ''}>
          <dt>{name}</dt>
          <dd class={tone}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function heading<Row>(column: TableColumn<Row>, { onSort, sorted }: TableProps<Row>) {
  const { title, rank } = column;
  const order = sorted?.title === title ? (sorted.isDescending ? 'descending' : 'ascending') : undefined;
  return (
    <th key={title} scope="col" role="columnheader" class={classOf(column)} aria-sort={order}>
      {onSort === undefined || rank === undefined ? (
        title
      ) : (
        <button type="button" class="sort" onClick={() => onSort(column)}>
          {title}
        </button>
      )}
    </th>
  );
}

interface PlaceProps {
  readonly title: string;
  readonly cell: Cell;
  readonly className: string;
}

function Place({ title, cell, className }: PlaceProps) {
  const { text, tone = 'plain', note, hint, isBadge = false, share, mark, more = [] } = cell;
  return (
    <td class={className} role="cell" title={hint} data-title={title}>
      {mark !== undefined && <ModeBadge mark={mark} />}
      <span class={isBadge ? `badge ${tone}` : tone}>{text}</span>
      {share !== undefined && <progress max={1} value={share} aria-label="share" />}
      {note !== undefined && <small class={isBadge || tone === 'bad' ? tone : ''}>{note}</small>}
      {more.map((line) => (
        <div key={line.text}>
          <span class={line.tone ?? 'plain'}>{line.text}</span>
          {line.note !== undefined && <small>{line.note}</small>}
        </div>
      ))}
    </td>
  );
}

function classOf<Row>({ isNumber, isWide }: TableColumn<Row>): string {
  return isNumber === true ? 'number' : isWide === true ? 'wide' : '';
}

/** One row is in the order of Tab: the open one, else the first. */
function opening(open: () => void, isReachable: boolean) {
  return {
    class: 'opens',
    tabIndex: isReachable ? 0 : -1,
    onClick: open,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    },
  };
}

function moveFocus(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const line = event.target as HTMLElement;
  const next = step > 0 ? line.nextElementSibling : line.previousElementSibling;
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}
