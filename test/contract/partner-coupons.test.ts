import { expect, test } from "vitest";
import type { CouponSettings } from "../../harness/coupons.ts";
import { partnerSide } from "../support/partner-side.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Page {
  readonly data: readonly { readonly codes: readonly string[] }[];
  readonly meta: { readonly nextCursor: string | null };
}

const mine = 0;
const other = 1;

async function open(coupons: readonly CouponSettings[]) {
  const world = await people.world({ partners: [{}, {}], coupons });
  const path = await partnerSide(world, people.stranger, world.partner.id);
  const list = async (query = "") => {
    const { status, text, body } = await people.stranger.get<Page>(`${path}/coupons${query}`);
    expect(status, text).toBe(200);
    return body;
  };
  return { world, path, list };
}

test("a partner sees the codes, the status and the validity of their own coupons, newest first", async () => {
  const { world, list } = await open([
    { codes: ["ANNA10", "promo_1"], partner: mine },
    { codes: ["BOB10"], partner: other },
    { codes: ["Summer"], partner: mine },
  ]);
  const path = `/api/programs/${world.programId}/coupons/${world.coupons[0]?.id}`;
  const validFrom = "2026-11-01T00:00:00.000Z";
  const validUntil = "2026-12-01T00:00:00.000Z";
  expect((await people.admin.patch(path, { status: "paused", validFrom, validUntil })).status).toBe(200);
  expect(await list()).toEqual({
    data: [
      { codes: ["Summer"], status: "active", validFrom: null, validUntil: null },
      { codes: ["ANNA10", "promo_1"], status: "paused", validFrom, validUntil },
    ],
    meta: { nextCursor: null },
  });
});

test("a long list has pages, and its cursors name codes alone", async () => {
  const codes = Array.from({ length: 52 }, (_, i) => `CODE${i}`);
  const { path, list } = await open(codes.map((code, i) => ({ codes: [code], partner: i === 1 ? other : mine })));
  const first = await list();
  expect(first.data).toHaveLength(50);
  const cursor = first.meta.nextCursor ?? "";
  expect(Buffer.from(cursor, "base64url").toString()).toBe('["own-coupons","CODE2"]');
  expect(await list(`?cursor=${cursor}`)).toMatchObject({ data: [{ codes: ["CODE0"] }], meta: { nextCursor: null } });
  expect((await people.stranger.get(`${path}/coupons?cursor=none`)).status).toBe(400);
});
