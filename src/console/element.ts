/** What a child of an element may be; text stays text. */
type Child = Node | string;

interface Settings {
  readonly id?: string;
  readonly className?: string;
  readonly title?: string;
  /** ARIA and other attributes. Never a style: the page's policy refuses it. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Makes an element. Everything that comes from elsewhere goes in as text: there is no way to pass markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { id, className, title, attributes = {} }: Settings = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (id !== undefined) made.id = id;
  if (className !== undefined) made.className = className;
  if (title !== undefined) made.title = title;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(text: string, className: string, onPress: () => void): HTMLButtonElement {
  const made = element('button', { className, attributes: { type: 'button' } }, text);
  made.addEventListener('click', onPress);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

export function drawn<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** The element of the page with this id; the page has it. */
export function elementById(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Sets a text only when it changes: a selection or a screen reader is not disturbed for nothing. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
