/** Search of a reference page: shows the entries that contain all words. */
const form = document.querySelector('#search-form');
const input = document.querySelector('#search');
const found = document.querySelector('#found');
const contents = document.querySelector('#contents details');
const sections = [...document.querySelectorAll('main section')];
const entries = [...document.querySelectorAll('main article')];
/** The item of the contents of each id. */
const items = new Map(
  [...document.querySelectorAll('#contents a')].map((link) => [link.hash.slice(1), link.closest('li')]),
);
const texts = new Map(entries.map((entry) => [entry, entry.textContent.toLowerCase()]));

function show(element, isShown) {
  element.hidden = !isShown;
  const item = items.get(element.getAttribute('aria-labelledby'));
  if (item !== undefined) item.hidden = !isShown;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const entry of entries) {
    const text = texts.get(entry);
    const isFound = words.every((word) => text.includes(word));
    show(entry, isFound);
    if (isFound) count += 1;
  }
  for (const section of sections) {
    show(section, words.length === 0 || section.querySelector('article:not([hidden])') !== null);
  }
  found.textContent = words.length === 0 ? '' : `${count} of ${entries.length} entries`;
}

/** A link to a hidden entry ends the search, so that the entry can be seen. */
function followLink() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null || target.closest('[hidden]') === null) return;
  input.value = '';
  search();
  target.scrollIntoView();
}

form.hidden = false;
form.addEventListener('submit', (event) => event.preventDefault());
input.addEventListener('input', search);
addEventListener('hashchange', followLink);
// A narrow screen begins with the content.
if (matchMedia('(width < 60rem)').matches) contents.open = false;
search();
