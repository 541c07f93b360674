import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonItems, openJson } from "#http/json-parts.ts";
import { textStream } from "#http/text-stream.ts";

async function* inPages(pages: readonly (readonly object[])[], asked: () => void = () => undefined) {
  for (const page of pages) {
    asked();
    yield page;
  }
}

const pagesOfItems = fc.array(fc.array(fc.record({ n: fc.integer(), text: fc.string() }), { maxLength: 4 }));

test("a list streamed in parts has the same JSON as the whole list", async () => {
  await fc.assert(
    fc.asyncProperty(pagesOfItems, async (pages) => {
      const parts = [`${openJson({ name: "list" })},"items":[`];
      for await (const part of jsonItems(inPages(pages))) parts.push(part);
      expect(JSON.parse(`${parts.join("")}]}`)).toEqual({ name: "list", items: pages.flat() });
    }),
  );
});

test("a page is read from the database only after the client has read the previous page", async () => {
  let asked = 0;
  const pages = Array.from({ length: 100 }, (_, n) => [{ n }]);
  const reader = textStream(jsonItems(inPages(pages, () => (asked += 1)))).getReader();
  for (let taken = 1; taken <= 10; taken += 1) {
    await reader.read();
    expect(asked).toBeLessThanOrEqual(taken + 1);
  }
  await reader.cancel();
  expect(asked).toBeLessThan(20);
});
