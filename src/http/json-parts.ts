// These functions write JSON in parts, because it may be larger than memory.

/** The JSON of an object without its closing brace. */
export const openJson = (value: object): string => JSON.stringify(value).slice(0, -1);

/** The items of a JSON array without the brackets. */
export async function* jsonItems(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, undefined> {
  let separator = "";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((item) => JSON.stringify(item)).join(",");
    separator = ",";
  }
}
