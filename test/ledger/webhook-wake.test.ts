import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type LateWebhooks, WebhookWake, type WebhookWakeParts } from "#ledger/webhook-wake.ts";

const now = 1_000_000;

function openWake(parts: Partial<WebhookWakeParts>) {
  let at = now;
  let rings = 0;
  const wake = new WebhookWake({
    clock: { now: () => at },
    report: () => undefined,
    ringSoon: () => {
      rings += 1;
    },
    settings: { program: () => ({ hasWebhooks: true }) as never },
    wake: async () => undefined,
    readLate: async () => [{ programId: 1, isLate: true, dueAt: null }],
    ...parts,
  });
  const setBack = (ms: number) => {
    at -= ms;
  };
  return { wake, rings: () => rings, setBack };
}

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

test("late webhook senders are woken and checked again after 30 seconds, or earlier if another sender's retry is due earlier", async () => {
  const idle = { programId: 1, isLate: false, dueAt: null };
  const retrying = { programId: 2, isLate: false, dueAt: now + 5_000 };
  const late = { programId: 3, isLate: true, dueAt: now - 1 };
  expect(await looked([])).toEqual({ next: undefined, woken: [] });
  expect(await looked([idle])).toEqual({ next: undefined, woken: [] });
  expect(await looked([idle, retrying])).toEqual({ next: now + 7_000, woken: [] });
  expect(await looked([idle, late])).toEqual({ next: now + 30_000, woken: [3] });
  expect(await looked([retrying, late])).toEqual({ next: now + 7_000, woken: [3] });
});

test("a webhook sender that can't be woken is checked again soon, and only the first failure is reported until a wake succeeds", async () => {
  let isAsleep = true;
  const reported: string[] = [];
  const { wake, rings, setBack } = openWake({
    wake: () => (isAsleep ? Promise.reject(new Error("overloaded")) : Promise.resolve()),
    report: (event) => void reported.push(event),
  });
  const commit = async () => {
    setBack(-1_000);
    wake.onCommitted(new Set([1]), false);
    await setImmediate();
  };
  await commit();
  await commit();
  expect([rings(), reported]).toEqual([2, ["ledger.webhooks_not_woken"]]);
  isAsleep = false;
  await commit();
  isAsleep = true;
  await commit();
  expect([rings(), reported.length]).toEqual([3, 2]);
});

test("a clock that is set back delays the waking of no webhook sender", () => {
  const woken: number[] = [];
  const { wake, setBack } = openWake({ wake: async (programId) => void woken.push(programId) });
  wake.onCommitted(new Set([1]), false);
  setBack(60_000);
  wake.onCommitted(new Set([1]), false);
  expect(woken).toEqual([1, 1]);
});

test("a webhook created during a check of all senders isn't missed", async () => {
  const answer = Promise.withResolvers<readonly LateWebhooks[]>();
  const { wake, rings } = openWake({ readLate: () => answer.promise });
  const looking = wake.run();
  wake.onCommitted(new Set([1]), false);
  answer.resolve([]);
  await looking;
  wake.onCommitted(new Set(), true);
  expect(rings()).toBe(1);
});
