import { Tributary } from "tributary-sdk";
import * as lemonSqueezy from "tributary-sdk/lemon-squeezy";
import * as paddle from "tributary-sdk/paddle";
import * as polar from "tributary-sdk/polar";
import * as stripe from "tributary-sdk/stripe";
import { expect, test } from "vitest";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

async function shopWithOffer() {
  const shop = programFixture(await people.world({ partners: [{}, {}] }), sharedApi());
  const { programId, key } = shop.world;
  const couponIds = { stripe: "FRIEND20", lemonSqueezy: "friend20" };
  await people.admin.put(`/api/programs/${programId}/offer`, { offer: { label: "20% off", couponIds } });
  const problems: unknown[] = [];
  const onError = (problem: unknown) => void problems.push(problem);
  return { shop, problems, tributary: new Tributary({ apiKey: key, baseUrl: sharedService.url, onError }) };
}

test("getOffer returns the offer for a new customer of a partner, and the reason if there is none", async () => {
  const { shop, tributary, problems } = await shopWithOffer();
  const clickId = shop.click(shop.alice);
  const given = {
    offer: { label: "20% off", couponIds: { stripe: "FRIEND20", lemonSqueezy: "friend20" } },
    ...{ partnerCode: shop.alice.code, reason: null },
  };
  expect(await tributary.getOffer({ customerExternalId: "u1", clickId })).toMatchObject({ ok: true, data: given });
  const organic = { offer: null, partnerCode: null, reason: "customer_not_found" };
  expect(await tributary.getOffer({ customerExternalId: "u1", clickId: null })).toMatchObject({
    ok: true,
    data: organic,
  });
  await shop.lead({ customer_key: "u2", click_id: shop.click(shop.alice, undefined, true), ...inTestMode });
  expect(await tributary.getOffer({ customerExternalId: "u2", testMode: true })).toMatchObject({ data: given });
  expect(problems).toEqual([]);
  expect(() => tributary.getOffer({ customerExternalId: "undefined" })).toThrow("offer.customerExternalId");
});

test("getOffer resolves to a failure like other calls, without rejecting", async () => {
  const problems: unknown[] = [];
  const onError = (problem: unknown) => void problems.push(problem);
  const tributary = new Tributary({ apiKey: "svc_1_unknown", baseUrl: sharedService.url, onError });
  const answer = await tributary.getOffer({ customerExternalId: "u1" });
  expect(answer).toMatchObject({ ok: false, status: 401, data: null });
  expect(problems).toMatchObject([{ source: "offer", failure: answer }]);
  expect(stripe.offerDiscounts(answer.data?.offer)).toEqual({});
});

test("offerDiscounts returns the discount fields that the processor's checkout accepts, or no fields if the offer has no coupon", () => {
  const offer = {
    label: "20% off",
    couponIds: { stripe: "FRIEND20", paddle: "dsc_1", lemonSqueezy: "FRIEND", polar: "d_1" },
  };
  const all = [stripe, paddle, lemonSqueezy, polar];
  expect(all.map(({ offerDiscounts }) => offerDiscounts(offer))).toEqual([
    { discounts: [{ coupon: "FRIEND20" }] },
    { discountId: "dsc_1" },
    { discountCode: "FRIEND" },
    { discountId: "d_1" },
  ]);
  for (const none of [{ label: "20% off", couponIds: {} }, null, undefined])
    expect(all.map(({ offerDiscounts }) => offerDiscounts(none))).toEqual([{}, {}, {}, {}]);
});
