import type { Tone } from './cell.js';
import { button, element } from './element.js';

const NOTICES_MAX = 5;
/** Good news goes away by itself, all else when it is dismissed. */
const GOOD_NEWS_MS = 8_000;

/** What came of the operator's actions. */
export class NoticeList {
  readonly element = element('div', { className: 'notices', attributes: { role: 'status', 'aria-live': 'assertive' } });

  say(text: string, tone: Tone): void {
    const notice = element('p', { className: `notice ${tone}` }, element('span', {}, text));
    notice.append(button('Dismiss', '', () => notice.remove()));
    this.element.prepend(notice);
    for (const old of [...this.element.children].slice(NOTICES_MAX)) old.remove();
    if (tone === 'good') setTimeout(() => notice.remove(), GOOD_NEWS_MS);
  }
}
