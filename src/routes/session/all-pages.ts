import type { Result } from "../../domain/result.ts";

interface Followed<Position> {
  /** Undefined on the last page. */
  readonly next: Position | undefined;
}

/** Breaks off if a page can't be read, so that no one takes the download for complete: its status has already been sent. */
export async function* allPages<Position, Page extends Followed<Position>>(
  first: Page,
  readNext: (after: Position) => Promise<Result<Page>>,
): AsyncGenerator<Page, undefined> {
  yield first;
  for (let next = first.next; next !== undefined; ) {
    const read = await readNext(next);
    if (!read.ok) throw new Error("a page in the middle of a list could not be read");
    yield read.value;
    next = read.value.next;
  }
}
