import { code, escaped, slug } from './html.js';

/** A part of a reference page with an anchor and an entry in its contents. */
export interface Section {
  readonly title: string;
  /** HTML before the entries. */
  readonly lead?: string;
  readonly entries: readonly Entry[];
}

/** The unit of the search: found or hidden as a whole. */
export interface Entry {
  /** Fragment of its link; unique in the page. */
  readonly id: string;
  readonly title: string;
  /** The title is a name in the protocol. */
  readonly isCode?: boolean;
  /** HTML. */
  readonly body: string;
}

interface ReferencePage {
  readonly title: string;
  /** HTML below the title. */
  readonly lead: string;
  readonly sections: readonly Section[];
}

/** The pages of the reference, as links relative to `/docs/`. */
const PAGES = [
  ['../docs', 'REST'],
  ['websocket', 'WebSocket'],
  ['errors', 'Errors'],
  ['../console', 'Console'],
] as const;

/**
 * A page of the reference: contents, sections with entries, and a search that shows the entries with all words. Every
 * section and entry has a link to itself. Without a script the page shows everything and has no search.
 */
export function referencePage({ title, lead, sections }: ReferencePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Sluice</title>
<link rel="icon" href="favicon-32x32.png">
<link rel="stylesheet" href="reference.css">
<script type="module" src="reference.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<strong>Sluice</strong>
<nav aria-label="Reference">${PAGES.map(([href, name]) => pageLink(href, name, title)).join('')}</nav>
<form id="search-form" role="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found">
<span id="found" role="status"></span>
</form>
</header>
<div id="columns">
<nav id="contents" aria-label="Contents"><details open><summary>Contents</summary><ul>
${sections.map(contentsOf).join('\n')}
</ul></details></nav>
<main id="content" tabindex="-1">
<h1>${escaped(title)}</h1>
${lead}
${sections.map(sectionText).join('\n')}
</main>
</div>
</body>
</html>
`;
}

function pageLink(href: string, name: string, title: string): string {
  const mark = title.startsWith(name.replace(/s$/, '')) ? ' aria-current="page"' : '';
  return `<a href="${href}"${mark}>${name}</a>`;
}

function contentsOf({ title, entries }: Section): string {
  const links = entries.map((entry) => `<li><a href="#${entry.id}">${titleOf(entry)}</a></li>`);
  return `<li><a href="#${slug(title)}">${escaped(title)}</a><ul>${links.join('')}</ul></li>`;
}

function sectionText({ title, lead = '', entries }: Section): string {
  const id = slug(title);
  return `<section aria-labelledby="${id}">
<div class="head"><h2 id="${id}">${escaped(title)}</h2>${anchor(id, title)}</div>
${lead}
${entries.map(entryText).join('\n')}
</section>`;
}

function entryText(entry: Entry): string {
  return `<article aria-labelledby="${entry.id}">
<div class="head"><h3 id="${entry.id}">${titleOf(entry)}</h3>${anchor(entry.id, entry.title)}</div>
${entry.body}
</article>`;
}

function titleOf({ title, isCode = false }: Entry): string {
  return isCode ? code(title) : escaped(title);
}

function anchor(id: string, title: string): string {
  return `<a class="anchor" href="#${id}" aria-label="Link to ${escaped(title)}">#</a>`;
}

/** Names with their values: a column each on a wide screen. Both are HTML. */
export function definitions(rows: readonly (readonly [name: string, value: string])[], kind: string): string {
  const groups = rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return groups.length === 0 ? '' : `<dl class="${kind}">${groups.join('\n')}</dl>`;
}
