import type { Result } from "#domain/result.ts";

interface Followed {
  /** Undefined on the last page. */
  readonly next: unknown;
}

/**
 * Throws if a page can't be read, which aborts the download. By then, the HTTP status has been sent, so without an
 * abort a partial download would look complete.
 */
export async function* allPages<Page extends Followed>(
  first: Page,
  readNext: (after: NonNullable<Page["next"]>) => Promise<Result<Page>>,
): AsyncGenerator<Page, undefined> {
  let page = first;
  yield page;
  while (page.next != null) {
    page = pageOf(await readNext(page.next));
    yield page;
  }
}

/** Like `allPages`, for a list that isn't the first part of a download. */
export async function* pagesFrom<Page extends Followed>(
  read: (after: NonNullable<Page["next"]> | undefined) => Promise<Result<Page>>,
): AsyncGenerator<Page, undefined> {
  yield* allPages(pageOf(await read(undefined)), read);
}

function pageOf<Page>(read: Result<Page>): Page {
  if (!read.ok) throw new Error("a page in the middle of a list could not be read");
  return read.value;
}
