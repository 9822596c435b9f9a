import { Console } from './console.js';
import { elementById } from './element.js';

/* The entry of the page: the form for the key, and the console behind it. */

const keyInput = elementById('api-key') as HTMLInputElement;
const secretInput = elementById('api-secret') as HTMLInputElement;
const form = elementById('key');
const forgetButton = elementById('forget');
const welcome = elementById('welcome');
const page = new Console();

function showForm(isShown: boolean, text: string): void {
  form.hidden = !isShown;
  forgetButton.hidden = isShown;
  welcome.hidden = text === '';
  if (text !== '') welcome.textContent = text;
}

async function connect(): Promise<void> {
  // Browsers sign only on pages that came safely.
  if (!isSecureContext) return showForm(true, 'This browser signs only over https or on this machine itself.');
  const secret = secretInput.value;
  try {
    await page.connect(keyInput.value.trim(), secret);
    // What signs from here on is a key that the browser does not give out again.
    secretInput.value = '';
    showForm(false, '');
  } catch {
    showForm(true, 'Nothing can be signed with this secret. Is it whole?');
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void connect();
});
forgetButton.addEventListener('click', () => {
  page.forget();
  keyInput.value = '';
  showForm(true, 'The key is forgotten.');
  keyInput.focus();
});
page.start();
