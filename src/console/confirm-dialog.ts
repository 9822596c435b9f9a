import { button, element, setText } from './element.js';
import type { Confirmation } from './order-action.js';

/** Asks before anything is done. What is in focus first is the way back. */
export class ConfirmDialog {
  readonly element: HTMLDialogElement;
  readonly #question = element('h2', { id: 'question' });
  readonly #consequence = element('p', { id: 'consequence' });
  readonly #confirm: HTMLButtonElement;
  #onConfirm: () => void = () => undefined;

  constructor() {
    const back = button('Back (Esc)', '', () => this.element.close());
    back.autofocus = true;
    this.#confirm = button('', 'danger', () => {
      this.element.close();
      this.#onConfirm();
    });
    this.element = element(
      'dialog',
      { attributes: { 'aria-labelledby': 'question', 'aria-describedby': 'consequence' } },
      this.#question,
      this.#consequence,
      element('div', { className: 'tools' }, back, this.#confirm),
    );
  }

  get isOpen(): boolean {
    return this.element.open;
  }

  ask({ question, consequence, verb }: Confirmation, onConfirm: () => void): void {
    setText(this.#question, question);
    setText(this.#consequence, consequence);
    setText(this.#confirm, verb);
    this.#onConfirm = onConfirm;
    this.element.showModal();
  }
}
