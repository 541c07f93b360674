import { describe, expect, it } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { recordClick } from "#operations/track/record-click.ts";
import { type ClickRow, emptyClick } from "#store/clicks.ts";
import { sampled } from "../support/breadth.ts";
import { clickCall } from "../support/click-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { address, openShop, partnerEmail, type Shop, shopClock } from "./signals-shop.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = shopClock.now();

type Click = ReturnType<ReturnType<typeof callsOf>["click"]>;

const effects = [
  ["holds a commission", false, "pending, held", "hold"],
  ["only flags the commissions of an exempt partner", true, "approved", "flag"],
] as const;

// Only the soak runs all effects, because test/contract/risk.test.ts also tests an exempt partner.
describe.each(sampled(effects))("a signal that %s", (_, isExempt, state, effect) => {
  const selfReferral = `${state}: self_referral ${effect}`;
  const duplicate = `${state}: duplicate_source ${effect}`;
  const blocked = `${state}: blocked_source ${effect}`;

  describe("the signal self_referral", () => {
    it("the signal self_referral is raised if the customer has the partner's email address", async () => {
      const { setEmail, refer, sell, raised } = await openShop(own.server.url, { isExempt });
      await setEmail(partnerEmail);
      await refer("c1", partnerEmail);
      await refer("c2", "somebody@example.com");
      await sell("own");
      await sell("other", { customerKey: "c2", amountCents: 2_000 });
      expect(await raised()).toEqual({ own: selfReferral, other: "approved" });
    });

    it("the signal self_referral is raised if a later lead reports the partner's email address", async () => {
      const { setEmail, refer, lead, sell, raised } = await openShop(own.server.url, { isExempt });
      await setEmail(partnerEmail);
      await refer("c1");
      await sell("own");
      expect(await raised()).toEqual({ own: "approved" });
      await lead("key", [], "c1", { email: address(partnerEmail) });
      await lead("key", [], "c1", { email: address(partnerEmail) });
      expect(await raised()).toEqual({ own: selfReferral });
    });

    it("the signal self_referral is raised if the partner's email address is changed to the customer's", async () => {
      const { setEmail, refer, sell, raised } = await openShop(own.server.url, { isExempt });
      await setEmail("first@example.com");
      await refer("c1", partnerEmail);
      await sell("own");
      expect(await raised()).toEqual({ own: "approved" });
      await setEmail(partnerEmail);
      await setEmail("first@example.com");
      await setEmail(partnerEmail);
      expect(await raised()).toEqual({ own: selfReferral });
    });

    it("the signal self_referral is raised if an account with the customer's email address accepts the partner's invitation", async () => {
      const { acceptInvitation, refer, sell, raised } = await openShop(own.server.url, { isExempt });
      await refer("c1", partnerEmail);
      await sell("own");
      expect(await raised()).toEqual({ own: "approved" });
      await acceptInvitation(partnerEmail);
      await sell("again", { amountCents: 2_000 });
      expect(await raised()).toEqual({ own: selfReferral, again: selfReferral });
    });
  });

  describe("the signal self_referral by the customer's key", () => {
    it.each(["lead", "sale"])(
      "the signal self_referral is raised for an earlier sale if a later %s with the same click has the partner's external id as customer_key",
      async (call) => {
        const { world, setExternalId, click, lead, sell, raised } = await openShop(own.server.url, { isExempt });
        await setExternalId("c1");
        const clicks = [click(world.partner, daysAgo(1))];
        await sell("own", { customerKey: null, clicks });
        expect(await raised()).toEqual({ own: "approved" });
        if (call === "lead") await lead("key", clicks, "c1");
        else await sell("again", { clicks, amountCents: 2_000 });
        expect(await raised()).toEqual({ own: selfReferral, ...(call === "sale" && { again: selfReferral }) });
      },
    );

    it("the signal self_referral isn't raised if the customer's key isn't the partner's external id", async () => {
      const { world, setExternalId, click, lead, sell, raised } = await openShop(own.server.url, { isExempt });
      await setExternalId("c2");
      const clicks = [click(world.partner, daysAgo(1))];
      await sell("other", { customerKey: null, clicks });
      await lead("key", clicks, "c1");
      expect(await raised()).toEqual({ other: "approved" });
    });
  });

  describe("the signal duplicate_source", () => {
    it.each([
      ["in_1", "pi_1"],
      ["pi_1", "in_1"],
      ["order 1", "ch_1"],
    ])("the signal duplicate_source is raised for a payment reported as %s and then as %s", async (first, second) => {
      const { refer, sell, raised } = await openShop(own.server.url, { isExempt });
      await refer("c1");
      await sell(first);
      await sell(second);
      expect(await raised()).toEqual({ [first]: "approved", [second]: duplicate });
    });

    it("the signal duplicate_source is raised if both reports of a payment are in one batch of calls", async () => {
      const { refer, together, saleTask, raised } = await openShop(own.server.url, { isExempt });
      await refer("c1");
      await together(saleTask("in_1", now), saleTask("pi_1", now));
      const { in_1, pi_1 } = await raised();
      expect([in_1, pi_1].toSorted()).toEqual(["approved", duplicate]);
    });

    it("the signal duplicate_source is raised for sales of two customer_keys with one email address, also in one batch of calls", async () => {
      const { refer, together, saleTask, sell, raised } = await openShop(own.server.url, { isExempt });
      await refer("c1", "buyer@example.com");
      await refer("c2", "buyer@example.com");
      await sell("in_1", { amountCents: 2_000 });
      await sell("pi_1", { amountCents: 2_000, customerKey: "c2" });
      await together(saleTask("in_2", now), saleTask("pi_2", now, { customerKey: "c2" }));
      const { in_1, pi_1, in_2, pi_2 } = await raised();
      expect([in_1, pi_1]).toEqual(["approved", duplicate]);
      expect([in_2, pi_2].toSorted()).toEqual(["approved", duplicate]);
    });

    it("the signal duplicate_source is raised for sales before and after the customer's lead", async () => {
      const { world, click, lead, sell, raised } = await openShop(own.server.url, { isExempt });
      await sell("in_1");
      await sell("pi_1");
      await sell("in_2", { amountCents: 2_000 });
      await lead("key", [click(world.partner, daysAgo(1))]);
      await sell("pi_2", { amountCents: 2_000 });
      expect(await raised()).toEqual({ in_1: "approved", pi_1: duplicate, in_2: "approved", pi_2: duplicate });
    });

    it("the signal duplicate_source isn't raised for another amount, another time or another customer", async () => {
      const { refer, sell, sale, raised } = await openShop(own.server.url, { isExempt });
      await refer("c1");
      await refer("c2");
      await sell("in_1");
      await sell("pi_1", { amountCents: 2_000 });
      await sell("pi_2", { customerKey: "c2" });
      await sale("pi_3", now - 601_000);
      await sell("in_4");
      expect(await raised()).toEqual({
        ...{ in_1: "approved", pi_1: "approved", pi_2: "approved", pi_3: "approved" },
        in_4: "approved: duplicate_source flag",
      });
    });
  });

  describe("the signal blocked_source", () => {
    const program = { blockedHosts: '["coupons.example"]' };
    const visit = async ({ world, ledger }: Shop, referrerUrl: string) => {
      const call = clickCall(world, now);
      const visited = { ...call, visit: { ...call.visit, referrerUrl } };
      const outcome = await ledger.submit(ledger.taskOf(recordClick, visited, now)).outcome;
      if (!outcome.ok || !outcome.answer.recorded) throw new Error("the click is not recorded");
      const { clickId } = outcome.answer;
      return { clickId, programId: world.programId, isTest: false, linkId: world.partner.linkId, at: now };
    };
    const buy = async ({ lead, sale }: ReturnType<typeof callsOf>, customerKey: string, click: Click) => {
      await lead("key", [click], customerKey);
      await sale(customerKey, now, { customerKey });
    };

    const keptClick = ({ world }: Shop, { clickId, programId, linkId }: Click) => ({
      ...{ ...(emptyClick as ClickRow), programId, isTest: false, clickId, linkId, partnerId: world.partner.id },
      ...{ source: "browser" as const, isBot: false, isPrefetch: false },
      ...{ referrerUrl: "https://deals.coupons.example/a", occurredAt: now, createdAt: now, day: dateUtc(now) },
    });

    it("the signal blocked_source is raised for a click from a blocked site and from its subdomains", async () => {
      const shop = await openShop(own.server.url, { isExempt, program });
      for (const [sale, referrer] of [
        ["site", "https://coupons.example/shop"],
        ["subdomain", "https://Deals.Coupons.example"],
        ["other", "https://notcoupons.example/coupons.example"],
      ] as const) {
        await buy(shop, sale, await visit(shop, referrer));
      }
      expect(await shop.raised()).toEqual({ site: blocked, subdomain: blocked, other: "approved" });
    });

    it.each([false, true])(
      "the signal blocked_source is raised even if the click's row is written only after an outage, with a restarted Ledger: %s",
      async (isRestarted) => {
        const shop = await openShop(own.server.url, { isExempt, program });
        const { world, click, raised } = shop;
        const kept = click(world.partner, now);
        await buy(shop, "kept", kept);
        await buy(shop, "other", click(world.partner, now));
        expect(await raised()).toEqual({ kept: "approved", other: "approved" });
        // The Ledger has cached the program's settings only if it wasn't restarted.
        const { spill, loop } = isRestarted ? ownLedger(own.server.url, shopClock) : shop.ledger;
        spill.keep(keptClick(shop, kept));
        await loop.maintain();
        await expect.poll(() => spill.isEmpty).toBe(true);
        expect(await shop.raised()).toEqual({ kept: blocked, other: "approved" });
      },
    );

    it("the signal blocked_source is raised without delaying the response to a call", async () => {
      const shop = await openShop(own.server.url, { isExempt, program });
      const kept = shop.click(shop.world.partner, now);
      await buy(shop, "kept", kept);
      const restarted = ownLedger(own.server.url, shopClock);
      restarted.spill.keep(keptClick(shop, kept));
      const calls = callsOf(shop.world, restarted);
      await calls.sale("meanwhile", now, { customerKey: "other", amountCents: 2_000 });
      expect(restarted.spill.isEmpty).toBe(false);
      await expect.poll(() => restarted.alarms.length).toBeGreaterThan(0);
      await restarted.loop.maintain();
      await expect.poll(() => restarted.spill.isEmpty).toBe(true);
      expect((await shop.raised()).kept).toBe(blocked);
    });
  });
});
