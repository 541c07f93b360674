import { describe, expect, it } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { address, openShop, partnerEmail, type Shop, shopClock } from "./signals-shop.ts";

const own = isolatedDatabase();

const minimum = { policies: [{ holdDays: 0, minSaleCents: 500, currency: "EUR" }] };

const corrections = [
  ["a lower amount", { amountCents: 10 }, { amountCents: 1_000 }],
  ["another customer", { customerKey: "organic" }, { customerKey: "c1" }],
] as const;

describe.each(sampled(corrections))("a sale corrected to %s and back", (_, away, back) => {
  it.each([
    ["a signal", "duplicate_source hold", async () => {}],
    ["a person", "by_hand hold", ({ hold }: Shop) => hold("pi_1")],
  ] as const)("a sale corrected to other values and back is still held by %s", async (_by, signal, hold) => {
    const shop = await openShop(own.server.url, minimum);
    await shop.refer("c1");
    if (signal.startsWith("duplicate")) await shop.sell("in_1");
    await shop.sell("pi_1");
    await hold(shop);
    await shop.correct("pi_1", away);
    expect(await shop.raised()).toMatchObject({ "pi_1~1": `void: ${signal}` });
    await shop.correct("pi_1~1", back);
    expect(await shop.raised()).toMatchObject({ "pi_1~2": `pending, held: ${signal}` });
  });

  it("a sale corrected to other values and back isn't held again for a reason that a person has released", async () => {
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

describe("a sale corrected to a customer without a partner, who is then attributed to a partner", () => {
  it.each([
    ["a signal", "duplicate_source hold", "in_1"],
    ["a person", "by_hand hold", undefined],
  ] as const)(
    "a sale corrected to a customer who is attributed later is still held by %s",
    async (_by, signal, other) => {
      const { refer, sell, hold, correct, raised } = await openShop(own.server.url);
      await refer("c1");
      if (other === undefined) await sell("pi_1");
      else for (const id of [other, "pi_1"]) await sell(id);
      if (other === undefined) await hold("pi_1");
      await correct("pi_1", { customerKey: "c2" });
      expect(await raised()).toMatchObject({ "pi_1~1": `void: ${signal}` });
      await refer("c2");
      expect(await raised()).toMatchObject({ "pi_1~1": `pending, held: ${signal}` });
    },
  );

  it("a sale corrected to a customer who is attributed later isn't held again for a reason that a person has released", async () => {
    const { refer, sell, hold, release, correct, raised } = await openShop(own.server.url);
    await refer("c1");
    await sell("pi_1");
    await hold("pi_1");
    await release("pi_1");
    await correct("pi_1", { customerKey: "c2" });
    await refer("c2");
    expect(await raised()).toMatchObject({ "pi_1~1": "approved: by_hand hold, ended" });
  });

  it("a sale corrected to a customer who is attributed later loses a signal about the former partner", async () => {
    const { setEmail, refer, sell, hold, correct, raised } = await openShop(own.server.url);
    await setEmail(partnerEmail);
    await refer("c1", partnerEmail);
    await sell("own");
    await hold("own");
    await correct("own", { customerKey: "c2" });
    await refer("c2");
    expect(await raised()).toMatchObject({ "own~1": "pending, held: by_hand hold" });
  });
});

it("a sale corrected to the amount of another sale is held as a duplicate of that sale", async () => {
  const { refer, sell, correct, raised } = await openShop(own.server.url);
  await refer("c1");
  await sell("in_1");
  await sell("pi_1", { amountCents: 999 });
  await correct("pi_1", { amountCents: 1_000 });
  expect(await raised()).toMatchObject({ in_1: "approved", "pi_1~1": "pending, held: duplicate_source hold" });
});

describe("the books if calls arrive in another order than their times", () => {
  const justBefore = shopClock.now() - 50;
  const held = async () => {
    const shop = await openShop(own.server.url);
    await shop.refer("c1");
    await shop.sale("own", justBefore - 60_000);
    return shop;
  };

  it("the books are consistent if a correction copies a hold whose time is later than the correction's", async () => {
    const { hold, correct, raised } = await held();
    await hold("own");
    await correct("own", { amountCents: 900 }, justBefore);
    expect(await raised()).toMatchObject({ "own~1": "pending, held: by_hand hold" });
  });

  it("the books are consistent if a correction copies the release of a hold, with a later time than the correction's", async () => {
    const { hold, release, correct, raised } = await held();
    await hold("own", justBefore);
    await release("own");
    await correct("own", { amountCents: 900 }, justBefore);
    expect(await raised()).toMatchObject({ "own~1": "approved: by_hand hold, ended" });
  });

  it("the books are consistent if a correction copies the second of two manual holds", async () => {
    const { hold, release, correct, raised } = await held();
    await hold("own");
    await release("own");
    await hold("own");
    await correct("own", { amountCents: 900 });
    expect(await raised()).toMatchObject({ "own~1": "pending, held: by_hand hold" });
  });

  it("the books are consistent if a manual hold has an earlier time than the signal raised before the hold", async () => {
    const { setEmail, refer, sell, hold, raised } = await openShop(own.server.url);
    await setEmail(partnerEmail);
    await refer("c1", partnerEmail);
    await sell("own");
    await hold("own", justBefore);
    expect(await raised()).toEqual({ own: "pending, held: by_hand hold,self_referral hold" });
  });

  it("the books are consistent if a signal has an earlier time than the manual hold made before the signal", async () => {
    const { setEmail, refer, sell, hold, lead, raised } = await openShop(own.server.url);
    await setEmail(partnerEmail);
    await refer("c1");
    await sell("own");
    await hold("own");
    await lead("key", [], "c1", { email: address(partnerEmail), at: justBefore, occurredAt: justBefore });
    expect(await raised()).toEqual({ own: "pending, held: by_hand hold,self_referral hold" });
  });
});
