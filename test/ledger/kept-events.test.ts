import { expect, it } from "vitest";
import type { SpilledClick } from "#ledger/rpc.ts";
import { Spill } from "#ledger/spill.ts";
import { emptyClick } from "#store/clicks.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";

const day = 24 * 3_600_000;
const click = (clickId: string, at: number) =>
  ({
    ...emptyClick,
    programId: 1,
    linkId: 2,
    eventId: "e",
    clickId,
    isTest: false,
    occurredAt: at,
    createdAt: at,
  }) as SpilledClick;

it("a click is recorded even if a click with the same event_id was spilled during an outage three days ago and set aside", () => {
  const spill = new Spill(memoryStorage());
  spill.keep(click("old", 0));
  const [kept] = spill.oldest(1);
  spill.setAside(kept?.seq ?? 0);
  expect(spill.keep(click("new", 3 * day))).toBe("new");
  expect(spill.isEmpty).toBe(false);
});

it("a click is recorded even if a click with the same event_id was spilled during an outage three days ago and still waits", () => {
  const spill = new Spill(memoryStorage());
  spill.keep(click("old", 0));
  expect(spill.keep(click("new", 3 * day))).toBe("new");
});
