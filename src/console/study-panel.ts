import type { TimelineEntry } from '../client/wire.js';
import { CHILD_COLUMNS, type ChildRow } from './child-row.js';
import { statusCell } from './cell.js';
import { DataTable } from './data-table.js';
import { button, element, setText } from './element.js';
import { countText } from './figures.js';
import { fillChart } from './fill-chart.js';
import { drawFillChart } from './fill-chart-drawing.js';
import { actionsIn, type OrderAction } from './order-action.js';
import type { KnownOrder } from './order-board.js';
import { legFacts, orderFacts, type Fact } from './order-facts.js';
import type { OrderStudy } from './order-study.js';
import { TIMELINE_COLUMNS } from './timeline-columns.js';

export interface StudyPanelParts {
  readonly onAct: (action: OrderAction) => void;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** Rows of each table, the latest. */
const ROWS_MAX = 200;
const ACTIONS: readonly { readonly action: OrderAction; readonly text: string; readonly className: string }[] = [
  { action: 'pause', text: 'Pause…', className: '' },
  { action: 'resume', text: 'Resume…', className: '' },
  { action: 'cancel', text: 'Cancel…', className: 'danger' },
];
const LEGEND = [
  ['filled', 'filled'],
  ['target', 'target of the strategy'],
  ['pace', 'even pace to the end'],
  ['arrival', 'arrival price'],
  ['maker', 'maker fill'],
  ['taker', 'taker fill'],
] as const;

/** One order in full: facts, what may be done, its course, children and timeline. */
export class StudyPanel {
  readonly element: HTMLElement;
  readonly #title = element('h2');
  readonly #status = element('span');
  readonly #outcome = element('p', { className: 'outcome' });
  readonly #facts = element('dl');
  readonly #chart = element('div', { className: 'chart' });
  readonly #notes = element('input', { attributes: { type: 'checkbox' } });
  readonly #childrenTitle = element('h3');
  readonly #timelineTitle = element('h3');
  readonly #children: DataTable<ChildRow>;
  readonly #timeline: DataTable<TimelineEntry>;
  readonly #actions = new Map<OrderAction, HTMLButtonElement>();
  /** Facts that did not change are left alone, so that they can be selected. */
  #shownFacts = '';

  constructor({ onAct, onClose, onChange }: StudyPanelParts) {
    for (const { action, text, className } of ACTIONS) {
      this.#actions.set(
        action,
        button(text, className, () => onAct(action)),
      );
    }
    const children = { caption: 'Children', columns: CHILD_COLUMNS, emptyText: 'Nothing has been placed yet.' };
    this.#children = new DataTable({ ...children, keyOf: ({ id }) => id });
    const timeline = { caption: 'Timeline', columns: TIMELINE_COLUMNS, emptyText: 'Nothing is kept of it.' };
    this.#timeline = new DataTable({ ...timeline, keyOf: ({ seq }) => String(seq) });
    this.#notes.addEventListener('change', onChange);
    const closing = button('Close', '', onClose);
    this.element = element(
      'section',
      { attributes: { 'aria-label': 'Order' } },
      element('div', { className: 'tools' }, this.#title, this.#status, ...this.#actions.values(), closing),
      this.#outcome,
      this.#facts,
      element(
        'div',
        { className: 'legend' },
        ...LEGEND.map(([name, text]) => element('span', { className: name }, text)),
      ),
      this.#chart,
      this.#childrenTitle,
      this.#children.element,
      element(
        'div',
        { className: 'tools' },
        this.#timelineTitle,
        element('label', {}, this.#notes, ' what the strategy left alone'),
      ),
      this.#timeline.element,
    );
  }

  show(study: OrderStudy, order: KnownOrder, nowMs: number): void {
    const { row, origin } = order;
    setText(this.#title, `${row.side} ${row.symbol}`);
    const status = statusCell(row.status);
    this.#status.className = `badge ${status.tone}`;
    setText(this.#status, status.text);
    this.#showOutcome([row.errorCode, row.message, study.failure]);
    const allowed = actionsIn(row.status);
    for (const [action, knob] of this.#actions) knob.hidden = !allowed.includes(action);
    this.#showFacts([
      { name: 'Order', text: `${row.orderId}, ${row.strategy} on ${row.venues.join(' and ')}` },
      ...orderFacts(order, study.details),
      ...legFacts(study.details),
      ...(study.terms === '' ? [] : [{ name: 'Terms', text: study.terms }]),
    ]);
    this.#chart.replaceChildren(drawFillChart(fillChart({ ...row, ...origin }, study.history, nowMs)));
    const children = [...study.children.values()].toReversed();
    setText(this.#childrenTitle, titleOf('Children', children.length));
    this.#children.show(children.slice(0, ROWS_MAX));
    const told = study.entries.filter(({ event }) => this.#notes.checked || event !== 'StrategyNoted').toReversed();
    setText(
      this.#timelineTitle,
      study.isCut ? 'Timeline, cut: it is too long to show' : titleOf('Timeline', told.length),
    );
    this.#timeline.show(told.slice(0, ROWS_MAX));
  }

  #showOutcome(parts: readonly (string | null)[]): void {
    const text = parts.filter((part) => part !== null).join(': ');
    setText(this.#outcome, text);
    this.#outcome.hidden = text === '';
  }

  #showFacts(facts: readonly Fact[]): void {
    const print = JSON.stringify(facts);
    if (print === this.#shownFacts) return;
    this.#shownFacts = print;
    this.#facts.replaceChildren(
      ...facts.map(({ name, text, tone = 'plain' }) =>
        element('div', {}, element('dt', {}, name), element('dd', { className: tone }, text)),
      ),
    );
  }
}

function titleOf(name: string, count: number): string {
  return count > ROWS_MAX ? `${name}, latest ${ROWS_MAX} of ${countText(count)}` : `${name} ${countText(count)}`;
}
