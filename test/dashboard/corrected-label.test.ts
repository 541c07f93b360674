import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { root } from "../../scripts/root.ts";

afterAll(() => void vi.unstubAllGlobals());

/**
 * Loads a module by its path. A static import would make this folder's type check, which doesn't support JSX, read the
 * components that the module imports.
 */
async function load<Module>(path: string): Promise<Module> {
  // The API's client, which the module imports, reads `location`.
  vi.stubGlobal("location", { origin: "https://tributary.example" });
  return await import(/* @vite-ignore */ join(root, "dashboard/src", path));
}

test("a corrected sale's commission is called corrected in the dashboard and in the partners' app, even if it was refunded or paid before", async () => {
  const { statusText } = await load<{ statusText(commission: object): { title: string; detail?: string } }>(
    "partner/pages/commissions/words.ts",
  );
  const { CommissionBadge } = await load<{ CommissionBadge(commission: object): { props: { children: string } } }>(
    "pages/commissions/commission-badge.tsx",
  );
  const { statusForPartner } = await load<{
    statusForPartner(commission: object, timezone: string, now: number): string;
  }>("pages/reasons/status-for-partner.ts");
  const shown = (["reversed", "approved", "paid"] as const).map((status) => {
    const commission = {
      status,
      inPayout: false,
      corrected: true,
      underReview: false,
      underReviewSince: null,
      holdUntil: null,
    };
    const { title, detail } = statusText(commission);
    const badge = CommissionBadge({ ...commission, inPayout: status === "approved" }).props.children;
    return [badge, title, detail, statusForPartner(commission, "UTC", 0)];
  });
  expect(shown).toEqual([
    ["Corrected", "Corrected", undefined, "corrected"],
    ["Corrected", "Corrected", undefined, "corrected"],
    ["Corrected", "Corrected", "after it was paid", "corrected"],
  ]);
});

test("a commission refunded after its payout is called refunded in the partners' app and in texts for partners, and reversed in the timeline", async () => {
  const { statusText } = await load<{ statusText(commission: object): { title: string; detail?: string } }>(
    "partner/pages/commissions/words.ts",
  );
  const { statusForPartner } = await load<{
    statusForPartner(commission: object, timezone: string, now: number): string;
  }>("pages/reasons/status-for-partner.ts");
  const { eventLines } = await load<{ eventLines(event: object, story: object): string[] }>("pages/explain/words.ts");
  const shown = (
    [
      ["approved", 0],
      ["paid", 0],
      ["paid", 100],
    ] as const
  ).map(([status, amountCents]) => {
    const commission = { status, amountCents, initialCents: 300, changes: [{}, {}], inPayout: status === "approved" };
    const event = {
      type: "sale",
      commissionStatus: status,
      partnerCode: "anna",
      transactionId: "t",
      refundedCents: 900,
    };
    const [, line] = eventLines({ ...event, commissionCents: amountCents, commissionCurrency: "EUR" }, { events: [] });
    const { title, detail } = statusText(commission);
    return [title, detail, statusForPartner(commission, "UTC", 0), line];
  });
  const line = "Commission of partner anna: €0.00, reversed";
  expect(shown).toEqual([
    ["Refunded", undefined, "refunded", `${line}.`],
    ["Refunded", "after it was paid", "refunded after it was paid", `${line} after it was paid.`],
    ["Paid", undefined, "paid", "Commission of partner anna: €1.00, paid."],
  ]);
});

test("the event of a sale's correction is called a correction, and names no amount if the whole sale was refunded before", async () => {
  const { typeOf } = await load<{ typeOf(event: object): string }>("pages/events/event-labels.tsx");
  expect([true, false].map((correction) => typeOf({ event_type: "refund", correction }))).toEqual([
    "Correction",
    "Refund",
  ]);
  const { eventTitle } = await load<{ eventTitle(event: object, story: object): string }>("pages/explain/words.ts");
  const titles = [4_900, 0].map((refundedCents) => {
    const event = { type: "refund", refundId: "correction-1", refundedCents, currency: "EUR" };
    return eventTitle(event, { events: [], correctedBy: {} });
  });
  expect(titles).toEqual(["Corrected: €49.00 no longer counts", "Corrected"]);
});
