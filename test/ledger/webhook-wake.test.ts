import { expect, test } from "vitest";
import { type LateWebhooks, WebhookWake } from "#ledger/webhook-wake.ts";

const now = 1_000_000;

async function looked(found: readonly LateWebhooks[]) {
  const woken: number[] = [];
  const wake = new WebhookWake({
    clock: { now: () => now },
    report: () => undefined,
    ringSoon: () => undefined,
    settings: { program: () => undefined },
    wake: async (programId) => void woken.push(programId),
    readLate: async () => found,
  });
  return { next: await wake.run(), woken };
}

test("wakes the senders that are late, and looks again when the next retry is due", async () => {
  const idle = { programId: 1, isLate: false, dueAt: null };
  const retrying = { programId: 2, isLate: false, dueAt: now + 5_000 };
  const late = { programId: 3, isLate: true, dueAt: now - 1 };
  expect(await looked([])).toEqual({ next: undefined, woken: [] });
  expect(await looked([idle])).toEqual({ next: undefined, woken: [] });
  expect(await looked([idle, retrying])).toEqual({ next: now + 7_000, woken: [] });
  expect(await looked([idle, late])).toEqual({ next: now + 30_000, woken: [3] });
  expect(await looked([retrying, late])).toEqual({ next: now + 7_000, woken: [3] });
});
