import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { webSockets } from '../client/web-socket.js';
import { WebTransport } from '../client/web-transport.js';
import { AccountPanel } from './account-panel.js';
import { ConsoleState } from './console-state.js';
import { ConfirmDialog, Header, Messages } from './header.js';
import type { OrderAction } from './order/order-facts.js';
import { OrderPanel } from './order/order-panel.js';
import { OrdersPanel } from './order/orders-panel.js';
import type { Session } from './session.js';
import { TicketPanel } from './ticket/ticket-panel.js';

/* The entry of the page: draws the state after each change, and once a second for the clocks. */

/** Frames may come by the thousand: the page is drawn at most this often. */
const DRAW_MS_MIN = 200;
const CLOCK_MS = 1_000;
const REFRESH_MS = 5_000;
const ACTION_KEYS: Readonly<Record<string, OrderAction>> = { p: 'pause', r: 'resume', x: 'cancel' };
const CONTROLS = 'input, select, textarea';

/** The address of the service: a proxy may serve the page under a path prefix. */
const BASE = new URL('.', location.href);

const place = document.getElementById('page') ?? document.body;
let timer: ReturnType<typeof setTimeout> | null = null;
let drawnAtMs = 0;
const state = new ConsoleState({
  transport: new WebTransport(BASE),
  openSocket: webSockets(new URL('api/v2/ws', BASE)),
  nowMs: Date.now,
  uniqueId: () => `${Date.now().toString(36)}-${crypto.randomUUID().slice(0, 8)}`,
  onChange: () => {
    timer ??= setTimeout(draw, Math.max(0, drawnAtMs + DRAW_MS_MIN - performance.now()));
  },
});

function draw(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  drawnAtMs = performance.now();
  const isStale = state.session?.liveness.state === 'STALE';
  document.title = `${isStale ? 'STALE · ' : ''}Sluice console`;
  render(<Page nowMs={Date.now()} />, place);
}

function Page({ nowMs }: { nowMs: number }) {
  const { session } = state;
  return (
    <>
      <Header state={state} nowMs={nowMs} />
      {session === null ? <Welcome /> : <Work session={session} />}
      <Messages state={state} />
      <ConfirmDialog state={state} />
    </>
  );
}

/** Orders and account on the left; the ticket or one order on the right. */
function Work({ session }: { session: Session }) {
  const filter = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => onShortcut(event, session, filter.current);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [session]);
  return (
    <main class={session.liveness.state === 'LIVE' ? '' : 'stale'}>
      <OrdersPanel state={state} session={session} filter={filter} />
      <Detail session={session} />
      {state.account !== null && (
        <AccountPanel account={state.account} modeOf={(exchange) => session.modeOf(exchange)} />
      )}
    </main>
  );
}

/** The ticket, the open order, or the keys. */
function Detail({ session }: { session: Session }) {
  const { order: history, mayTrade } = session;
  const order = history === null ? null : session.board.find(history.orderId);
  if (state.isTicketOpen && state.ticket !== null) {
    return <TicketPanel state={state} session={session} ticket={state.ticket} />;
  }
  if (history !== null && order !== null) {
    const id = history.orderId;
    return <OrderPanel key={id} state={state} history={history} order={order} mayTrade={mayTrade !== false} />;
  }
  return (
    <section class="detail hints" aria-label="Keys">
      <p>Open an order, or enter a new one.</p>
      <p>
        <kbd>/</kbd> filter · <kbd>↑</kbd> <kbd>↓</kbd> or <kbd>j</kbd> <kbd>k</kbd> move in the orders ·{' '}
        <kbd>Enter</kbd> open · <kbd>n</kbd> new order · <kbd>p</kbd> pause, <kbd>r</kbd> resume, <kbd>x</kbd> cancel
        the open order (each asks first), <kbd>a</kbd> amend it · <kbd>Esc</kbd> close
      </p>
    </section>
  );
}

function Welcome() {
  return (
    <p id="welcome">
      Enter an API key and its secret. They stay in the memory of this page until you close or reload it. The permission{' '}
      <code>read</code> is enough to watch; <code>trade</code> is needed to act.
    </p>
  );
}

function onShortcut(event: KeyboardEvent, session: Session, filter: HTMLInputElement | null): void {
  if (state.proposal !== null || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (state.amendment !== null) return state.closeAmendment();
    return state.isTicketOpen ? state.closeTicket() : session.select(null);
  }
  if (event.target instanceof Element && event.target.matches(CONTROLS)) return;
  const action = ACTION_KEYS[event.key];
  if (event.key === '/') filter?.focus();
  else if (event.key === 'n') state.openTicket();
  else if (event.key === 'a') state.openAmendment();
  else if (action !== undefined) state.propose(action);
  else return;
  event.preventDefault();
}

setInterval(draw, CLOCK_MS);
setInterval(() => void state.refresh(), REFRESH_MS);
void state.refresh();
draw();
