import { expect, test } from "vitest";
import { Tributary } from "../../sdk/src/index.ts";
import { day } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { customer, integrate, order } from "./integration.ts";

test("a click on an inactive link fails, and isn't retryable", async () => {
  const { shop, tributary } = await integrate({ partners: [{ status: "paused" }, {}] });
  expect(await tributary.trackClick({ affiliateUrl: shop.alice.landingUrl })).toMatchObject({
    ok: false,
    status: 200,
    retryable: false,
    error: { name: "InactiveLinkError", message: "Referral link is inactive" },
  });
});

test("a refusal contains the field and the reason", async () => {
  const { tributary } = await integrate();
  const result = await tributary.trackSale({ ...order, currency: "XXX" });
  expect(result).toMatchObject({
    ok: false,
    status: 400,
    retryable: false,
    error: {
      name: "BadRequestError",
      message: "currency must be an ISO 4217 currency code",
      details: { errors: [{ path: ["currency"] }] },
    },
  });
});

test("the client warns once about a key that is being retired, on successes and refusals, and reports a retired key as an error", async () => {
  const keys = [{ retiresAt: Date.now() + day }, { retiresAt: Date.now() - day }];
  const { shop, tributary, warnings } = await integrate({ keys });
  expect(await tributary.trackSale({ ...order, currency: "XXX" })).toMatchObject({ ok: false });
  expect(await tributary.trackSale(order)).toMatchObject({ ok: true });
  expect(await tributary.readiness()).toMatchObject({ ok: true });
  const by = new Date(Date.now() + day).toISOString().slice(0, 10);
  expect(warnings).toEqual([{ code: "api_key_rotation_required", message: `This API key must be replaced by ${by}.` }]);
  const retired = new Tributary({ apiKey: shop.world.keys[1] ?? "", baseUrl: sharedService.url, onError: () => {} });
  expect(await retired.trackSale(order)).toMatchObject({
    ok: false,
    status: 401,
    retryable: false,
    error: {
      name: "api_key_rotation_required",
      details: { hint: expect.any(String), docsUrl: expect.any(String) },
    },
  });
});

test("a call with a wrong key fails", async () => {
  const tributary = new Tributary({ apiKey: "svc_1_nobodys", baseUrl: sharedService.url, onError: () => {} });
  expect(await tributary.trackLead(customer)).toMatchObject({
    ok: false,
    status: 401,
    retryable: false,
    error: { message: "Invalid API token" },
  });
});

test("a base address with an extra path is reported, and calls to it are retryable", async () => {
  const { tributary } = await integrate(undefined, { baseUrl: `${sharedService.url}/api/v1` });
  const url = `${sharedService.url}/api/v1/api/v1`;
  expect(await tributary.trackSale(order)).toMatchObject({
    ok: false,
    status: 404,
    retryable: true,
    error: { name: "NotFoundError", message: `${url}/track/sale: Not found. Check baseUrl.` },
  });
  expect(await tributary.readiness()).toMatchObject({ ok: false, status: 404, retryable: true });
  const page = await integrate(undefined, { baseUrl: `${sharedService.url}/app` });
  expect(await page.tributary.trackSale(order)).toMatchObject({
    ok: false,
    status: 405,
    retryable: true,
    error: { message: `${sharedService.url}/app/api/v1/track/sale: Method not allowed. Check baseUrl.` },
  });
});
