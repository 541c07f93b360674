import fc from "fast-check";
import { expect, test } from "vitest";
import { boundAfter, byNewest, type EventPosition, eventKinds } from "#domain/event-page.ts";

/** Events at only a few instants, so that many share one. */
const someEvents = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom(...eventKinds),
    id: fc.integer({ min: 1, max: 9 }),
    occurredAt: fc.integer({ min: 0, max: 3 }),
  }),
  { selector: ({ kind, id }) => `${kind} ${id}`, maxLength: 36 },
);

/** Selects events of each kind separately, as the database does. */
function pageOf(all: readonly EventPosition[], after: EventPosition | undefined, size: number, until?: number) {
  const picked = eventKinds.flatMap((kind) => {
    const bound = boundAfter(kind, after, until);
    return all
      .filter((event) => event.kind === kind && event.occurredAt <= bound.occurredAt)
      .filter((event) => event.occurredAt < bound.occurredAt || event.id < bound.id)
      .sort(byNewest)
      .slice(0, size);
  });
  return picked.sort(byNewest).slice(0, size);
}

test("the pages of the events list contain every event once, newest first", () => {
  fc.assert(
    fc.property(someEvents, fc.integer({ min: 1, max: 5 }), (all, size) => {
      const walked: EventPosition[] = [];
      for (let after: EventPosition | undefined; ; after = walked.at(-1)) {
        const page = pageOf(all, after, size);
        if (page.length === 0) break;
        walked.push(...page);
      }
      expect(walked).toEqual(all.toSorted(byNewest));
    }),
  );
});

test("a page of the events list never contains an event after the end of the requested period", () => {
  fc.assert(
    fc.property(someEvents, fc.integer({ min: 0, max: 3 }), (all, until) => {
      for (const after of [undefined, ...all]) {
        const expected = all
          .filter((event) => event.occurredAt <= until && (after === undefined || byNewest(after, event) < 0))
          .sort(byNewest);
        expect(pageOf(all, after, 100, until)).toEqual(expected);
      }
    }),
  );
});

test("events at the same instant are listed newest first: the refund, then the sale, the lead and the click", () => {
  const at = (kind: EventPosition["kind"]) => ({ kind, id: 1, occurredAt: 0 });
  expect([at("click"), at("sale"), at("refund"), at("lead")].sort(byNewest).map(({ kind }) => kind)).toEqual([
    "refund",
    "sale",
    "lead",
    "click",
  ]);
});
