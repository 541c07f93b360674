import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleEvent } from "#deliver/example-event.ts";
import { eventTypes } from "#domain/event-type.ts";
import { root } from "../../scripts/root.ts";

interface Documented {
  readonly type: string;
  readonly data: { readonly object: object; readonly previous?: object };
}

test("an example of each event type has the fields that the guide lists", async () => {
  const guide = await readFile(join(root, "docs/webhooks.md"), "utf8");
  const documented = [...guide.matchAll(/^\{"type":.*\}$/gm)].map(([line]) => JSON.parse(line) as Documented);
  expect(new Set(documented.map(({ type }) => type))).toEqual(new Set(eventTypes));
  for (const { type, data } of documented) {
    const { data: own } = exampleEvent({ programId: 1, isTest: false }, { id: "evt_example_1", type, at: 0 });
    expect(Object.keys(own.object).toSorted(), type).toEqual(Object.keys(data.object).toSorted());
    expect(own.previous !== undefined, type).toBe(data.previous !== undefined);
  }
});
