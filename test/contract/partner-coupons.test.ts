import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { CouponSettings } from "../../harness/coupons.ts";
import { partnerSide } from "../support/partner-side.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Page {
  readonly data: readonly { readonly codes: readonly string[] }[];
  readonly meta: { readonly nextCursor: string | null };
}

async function open(coupons: readonly CouponSettings[] = []) {
  const world = await people.world({ partners: [{}, {}], coupons });
  const path = await partnerSide(world, people.stranger, world.partner.id);
  const list = async (query = "") => {
    const { status, text, body } = await people.stranger.get<Page>(`${path}/coupons${query}`);
    expect(status, text).toBe(200);
    return body;
  };
  return { world, path, list };
}

test("a partner sees the codes, status and validity of their own coupons, newest first", async () => {
  const { world, list } = await open();
  const create = async (code: string, terms: JsonObject) => {
    const reply = await people.admin.post(`/api/programs/${world.programId}/coupons`, { codes: [code], ...terms });
    expect(reply.status, reply.text).toBe(201);
  };
  const [mine, other] = world.partners.map(({ id }) => ({ partnerId: id }));
  const limited = {
    status: "paused",
    validFrom: "2026-11-01T00:00:00.000Z",
    validUntil: "2026-12-01T00:00:00.000Z",
  };
  await create("ANNA10", { ...mine, ...limited });
  await create("BOB10", { ...other });
  await create("Summer", { ...mine });
  expect(await list()).toEqual({
    data: [
      { codes: ["Summer"], status: "active", validFrom: null, validUntil: null },
      { codes: ["ANNA10"], ...limited },
    ],
    meta: { nextCursor: null },
  });
});

test("a partner's long list of coupons has pages, and the cursor contains a coupon code instead of an internal id", async () => {
  const codes = Array.from({ length: 51 }, (_, i) => `CODE${i}`);
  const { path, list } = await open([...codes.map((code) => ({ codes: [code] })), { codes: ["BOB10"], partner: 1 }]);
  const first = await list();
  const cursor = first.meta.nextCursor ?? "";
  const last = first.data.at(-1)?.codes[0];
  expect(JSON.parse(Buffer.from(cursor, "base64url").toString())).toEqual(["own-coupons", last]);
  const second = await list(`?cursor=${cursor}`);
  expect([first.data.length, second.data.length, second.meta.nextCursor]).toEqual([50, 1, null]);
  expect(new Set([...first.data, ...second.data].flatMap((coupon) => coupon.codes))).toEqual(new Set(codes));
  expect((await people.stranger.get(`${path}/coupons?cursor=none`)).status).toBe(400);
});
