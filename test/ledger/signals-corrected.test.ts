import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { openShop, type Shop } from "./signals-shop.ts";

const own = isolatedDatabase();

const minimum = { policies: [{ holdDays: 0, minSaleCents: 500, currency: "EUR" }] };

describe.each([
  ["less than is paid for", { amountCents: 10 }, { amountCents: 1_000 }],
  ["another customer's", { customerKey: "organic" }, { customerKey: "c1" }],
] as const)("a sale corrected to %s, and back,", (_, away, back) => {
  it.each([
    ["a signal", "duplicate_source hold", async () => {}],
    ["a person", "by_hand hold", ({ hold }: Shop) => hold("pi_1")],
  ] as const)("is still held by %s", async (_by, signal, hold) => {
    const shop = await openShop(own.server.url, minimum);
    await shop.refer("c1");
    if (signal.startsWith("duplicate")) await shop.sell("in_1");
    await shop.sell("pi_1");
    await hold(shop);
    await shop.correct("pi_1", away);
    expect(await shop.raised()).toMatchObject({ "pi_1~1": "void" });
    await shop.correct("pi_1~1", back);
    expect(await shop.raised()).toMatchObject({ "pi_1~2": `pending, held: ${signal}` });
  });

  it("is not held again by what a person has released", async () => {
    const { refer, sell, hold, release, correct, raised } = await openShop(own.server.url, minimum);
    await refer("c1");
    await sell("pi_1");
    await hold("pi_1");
    await release("pi_1");
    await correct("pi_1", away);
    await correct("pi_1~1", back);
    expect(await raised()).toMatchObject({ "pi_1~2": "approved: by_hand hold, ended" });
  });
});
