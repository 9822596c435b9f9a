import { useEffect, useRef, useState } from 'preact/hooks';
import { webSigner } from '../client/web-signature.js';
import type { ConsoleState } from './console-state.js';
import { modeLines } from './live-mode.js';
import { RELEASE_COMMAND } from './order/order-facts.js';
import { clockText } from './view/figures.js';
import { livenessNotice, skewNotice, type Liveness, type Notice } from './network/service-health.js';
import { Badge } from './view/table.js';

const OFF: Liveness = { state: 'OFF' };

/** The sticky top of the page: state of the connection and the service, the key, banners. */
export function Header({ state, nowMs }: { state: ConsoleState; nowMs: number }) {
  const { session, health, clock } = state;
  const liveness = session?.liveness ?? OFF;
  const notice = livenessNotice(liveness, nowMs);
  const isStale = liveness.state === 'STALE';
  const down = session?.venuesDown ?? [];
  const venues: Notice = {
    text:
      session === null || session.exchanges.length === 0
        ? '–'
        : down.length === 0
          ? 'All up'
          : `Down: ${down.join(', ')}`,
    tone: down.length === 0 ? 'plain' : 'bad',
    hint: 'Orders for an exchange that is down wait or are refused.',
  };
  const problem = isStale ? `${notice.text}: ${session?.failure ?? notice.hint}` : (session?.failure ?? null);
  const isKilled = session?.killSwitch.engaged === true;
  const killed = isKilled
    ? `TRADING HALTED: the kill switch of this account is engaged; only an operator can release it: ${RELEASE_COMMAND}`
    : null;
  return (
    <div id="top">
      <header>
        <strong>{health.version === null ? 'Sluice' : `Sluice ${health.version}`}</strong>
        <span id="liveness" role="status">
          {/* The duration is in the banner: a screen reader announces only changes of the state. */}
          <Badge tone={notice.tone} title={notice.hint}>
            {isStale ? 'Stale' : notice.text}
          </Badge>
        </span>
        <dl id="service">
          <Item name="Service" notice={health.notice} />
          <Item name="Venues" notice={venues} />
          <Item name="Clock skew" notice={skewNotice(clock.skewMs)} />
          <Item
            name="Service time"
            notice={{ text: `${clockText(clock.serviceMs(nowMs))} UTC`, tone: 'plain', hint: '' }}
          />
        </dl>
        {session === null ? <KeyForm state={state} /> : <SessionButtons state={state} />}
      </header>
      {modeLines(session?.exchanges ?? []).map(({ word, tone, hint, exchanges }) => (
        <p key={word} class={`mode ${tone}`} role="note">
          <Badge tone={tone}>{word}</Badge> {exchanges.join(', ')}: {hint}
        </p>
      ))}
      {problem !== null && (
        <p class="banner" role="alert">
          {problem}
        </p>
      )}
      {(health.halt ?? killed) !== null && (
        <p class="banner" role="alert">
          {health.halt ?? killed}
        </p>
      )}
    </div>
  );
}

function Item({ name, notice: { text, tone, hint } }: { name: string; notice: Notice }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={tone} title={hint}>
        {text}
      </dd>
    </div>
  );
}

/** Takes a key. The page keeps it as a key that the browser does not give out again, in memory only. */
function KeyForm({ state }: { state: ConsoleState }) {
  const [problem, setTrouble] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [key, secret] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  useEffect(() => key.current?.focus(), []);
  const connect = async (): Promise<void> => {
    // Browsers offer signatures only on secure pages.
    if (!isSecureContext) return setTrouble('This browser signs only over https or on this machine.');
    setTrouble('');
    const sign = await webSigner(secret.current?.value ?? '').catch(() => null);
    if (sign === null) return setTrouble('This secret cannot sign. Is it complete?');
    // From here on the page has a key that the browser does not give out again.
    if (secret.current !== null) secret.current.value = '';
    setBusy(true);
    const refusal = await state.connect((key.current?.value ?? '').trim(), sign);
    if (refusal === null) return;
    setBusy(false);
    setTrouble(refusal);
    secret.current?.focus();
  };
  return (
    <form
      id="key"
      onSubmit={(event) => {
        event.preventDefault();
        void connect();
      }}
    >
      <label>
        Key <input ref={key} id="api-key" autocomplete="off" spellcheck={false} required />
      </label>
      <label>
        Secret <input ref={secret} id="api-secret" type="password" autocomplete="off" required />
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        Connect
      </button>
      {problem !== '' && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

function SessionButtons({ state }: { state: ConsoleState }) {
  const { session } = state;
  const mayTrade = session?.mayTrade ?? null;
  return (
    <div id="session">
      {mayTrade === false && (
        <Badge tone="warning" title="This key has no permission to trade: it cannot place, cancel, pause or resume.">
          READ ONLY
        </Badge>
      )}
      <button type="button" class="primary" onClick={() => state.openTicket()}>
        New order
      </button>
      <button
        type="button"
        class="danger"
        disabled={mayTrade === false || session?.killSwitch.engaged === true}
        onClick={() => state.proposeHalt()}
      >
        Halt trading…
      </button>
      <button type="button" onClick={() => state.forget()}>
        Forget the key
      </button>
    </div>
  );
}

/** Results of actions, over the lower right corner. */
export function Messages({ state }: { state: ConsoleState }) {
  return (
    <div class="messages" role="status" aria-live="assertive">
      {state.messages.map(({ id, text, tone }) => (
        <p key={id} class={`message ${tone}`}>
          <span>{text}</span>
          <button type="button" onClick={() => state.dismiss(id)}>
            Dismiss
          </button>
        </p>
      ))}
    </div>
  );
}

/** Asks before an action. The focus starts on the first button, which leads back. */
export function ConfirmDialog({ state }: { state: ConsoleState }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { proposal } = state;
  useEffect(() => {
    if (proposal !== null) dialog.current?.showModal();
  }, [proposal]);
  if (proposal === null) return null;
  const { question, consequence, verb } = proposal.confirmation;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="question"
      aria-describedby="consequence"
      onClose={() => state.proposal === proposal && state.decide(false)}
    >
      <h2 id="question">{question}</h2>
      <p id="consequence">{consequence}</p>
      <div class="tools">
        <button type="button" onClick={() => state.decide(false)}>
          Back (Esc)
        </button>
        <button type="button" class="danger" onClick={() => state.decide(true)}>
          {verb}
        </button>
      </div>
    </dialog>
  );
}
