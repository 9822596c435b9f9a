/** One page of a list; null: it was not read. */
type ReadPage<Range, Entry> = (range: Range) => Promise<readonly Entry[] | null>;

/** Where the page after one begins; null: the page was the last one. */
type NextPage<Range, Entry> = (page: readonly Entry[], range: Range) => Range | null;

interface PagedList<Range, Entry> {
  readonly first: Range;
  readonly next: NextPage<Range, Entry>;
  readonly pagesMax: number;
}

/** All entries of a list, page after page. null: a page was not read, or there are more than `pagesMax`. */
export async function readPages<Range, Entry>(
  read: ReadPage<Range, Entry>,
  { first, next, pagesMax }: PagedList<Range, Entry>,
): Promise<readonly Entry[] | null> {
  const entries: Entry[] = [];
  let range = first;
  for (let page = 0; page < pagesMax; page += 1) {
    // Each page says where the next one begins.
    // oxlint-disable-next-line no-await-in-loop
    const found = await read(range);
    if (found === null) return null;
    entries.push(...found);
    const after = next(found, range);
    if (after === null) return entries;
    range = after;
  }
  return null;
}

/** The next page of a list whose pages have `size` entries, except the last one. `after`: the range after an entry. */
export function afterFullPage<Range, Entry>(size: number, after: (last: Entry) => Range): NextPage<Range, Entry> {
  return (page) => {
    const last = page.at(-1);
    return last === undefined || page.length < size ? null : after(last);
  };
}
