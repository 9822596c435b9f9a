import { asciiLower } from '../../domain/letter-case.js';

/** Text as HTML that shows it unchanged, also in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/**
 * The Markdown of the documents as HTML: paragraphs, lists with `- `, code in backticks and bold words. Everything else
 * is shown as it is.
 */
export function blocks(markdown: string): string {
  const html: string[] = [];
  let items: string[] = [];
  const endList = (): void => {
    if (items.length > 0) html.push(`<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`);
    items = [];
  };
  for (const line of markdown.split('\n')) {
    if (line.startsWith('- ')) {
      items.push(inline(line.slice(2)));
      continue;
    }
    endList();
    if (line.trim() !== '') html.push(`<p>${inline(line)}</p>`);
  }
  endList();
  return html.join('\n');
}

/** A line of Markdown as HTML. */
export function inline(line: string): string {
  return line
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/.test(part) ? code(part.slice(1, -1)) : bold(escaped(part))))
    .join('');
}

function bold(html: string): string {
  return html.replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** A name as the fragment of a link: `Frames of the account` → `frames-of-the-account`. */
export function slug(name: string): string {
  return asciiLower(name.replaceAll(/[^A-Za-z0-9_]+/g, '-').replaceAll(/^-|-$/g, ''));
}
