import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mintClickId, parseClickKeyRing } from "#domain/click-id.ts";
import { createProgramFixture, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";

let leads = 0;
/** Sends a lead with the key for a new customer. Returns true if it was attributed, or the reason why not. */
async function isGood({ lead }: ProgramFixture, clickId: string): Promise<true | string> {
  leads += 1;
  const { attributed, reason } = await lead({ customer_key: `u${leads}`, click_id: clickId });
  return attributed || reason;
}

async function visit({ api, world }: ProgramFixture): Promise<string> {
  const { body } = await api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId });
  return body.click_id;
}

const flip = (clickId: string, i: number) =>
  `${clickId.slice(0, i)}${clickId[i] === "A" ? "B" : "A"}${clickId.slice(i + 1)}`;

describe("a click id", () => {
  it("a click id has at most 96 URL-safe characters, and attributes a lead to the click's partner", async () => {
    const shop = await createProgramFixture();
    const clickId = await visit(shop);
    expect(clickId).toMatch(/^[\w-]{1,96}$/);
    expect(await isGood(shop, clickId)).toBe(true);
  });

  it("a click id is valid before the click's row is stored", async () => {
    const shop = await createProgramFixture();
    expect(await isGood(shop, shop.click(shop.alice))).toBe(true);
    expect(await shop.world.rows("select * from clicks where program_id = ?", shop.world.programId)).toEqual([]);
  });

  it("a click id is invalid if any of its characters is changed", async () => {
    const shop = await createProgramFixture();
    const clickId = await visit(shop);
    const altered = Array.from(clickId, (_, i) => flip(clickId, i));
    const found = await Promise.all(altered.map((id) => isGood(shop, id)));
    expect(new Set(found)).toEqual(new Set(["invalid_click_id"]));
  });

  it.each<[string, (clickId: string) => string]>([
    ["padded", (id) => `${id}=`],
    ["with white space inside", (id) => `${id.slice(0, 9)} ${id.slice(9)}`],
    ["truncated", (id) => id.slice(0, -1)],
    ["with a character appended", (id) => `${id}A`],
    [
      "in the other base64 alphabet",
      (id) => (/[-_]/.test(id) ? id.replaceAll("-", "+").replaceAll("_", "/") : `+${id}`),
    ],
    ["twice", (id) => id + id],
  ])("a click id is invalid %s", async (_, spell) => {
    const shop = await createProgramFixture();
    expect(await isGood(shop, spell(await visit(shop)))).toBe("invalid_click_id");
  });

  it.each([
    ["another secret under the same key id", 1],
    ["a key id that the service doesn't have", 9],
  ])("a click id is invalid if signed with %s", async (_, keyId) => {
    const shop = await createProgramFixture();
    const ring = parseClickKeyRing(`${keyId}:${randomBytes(32).toString("base64url")}`);
    if (ring === undefined) throw new Error("not a ring");
    const token = { programId: shop.world.programId, isTest: false, linkId: shop.alice.linkId, at: daysAgo(1) };
    expect(await isGood(shop, mintClickId(ring, token, "0123456789abcdef"))).toBe("invalid_click_id");
  });

  it("a click id is invalid in another program, and in the other book (live or test)", async () => {
    const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
    expect(await isGood(shop, await visit(other))).toBe("invalid_click_id");
    expect(await isGood(shop, shop.click(shop.alice, daysAgo(1), true))).toBe("invalid_click_id");
    const inTestBook = { customer_key: "u", additional_data: { test_mode: true } };
    const moved = await shop.lead({ ...inTestBook, click_id: await visit(shop) });
    expect(moved).toMatchObject({ attributed: false, reason: "invalid_click_id" });
  });
});
