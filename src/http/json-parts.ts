// JSON that may be larger than memory, part by part.

/** An object without its end. */
export const openJson = (value: object): string => JSON.stringify(value).slice(0, -1);

/** The items of an array, without its brackets. */
export async function* jsonItems(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, undefined> {
  let separator = "";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((item) => JSON.stringify(item)).join(",");
    separator = ",";
  }
}
