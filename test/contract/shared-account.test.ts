import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const iban = "DE89370400440532013000";
interface Partner {
  readonly flags?: readonly string[];
  readonly sharesAccountWith?: readonly { readonly id: number; readonly name: string }[];
}

const partnerPath = ({ programId }: World, id: number) => `/api/programs/${programId}/partners/${id}`;
const setPayment = async (world: World, id: number, details: JsonObject) =>
  expect(
    (await people.owner.put(`${partnerPath(world, id)}/payment`, { method: "bank", holder: "P", ...details })).status,
  ).toBe(200);
const sharing = async (world: World, id: number, user: User = people.admin) => {
  const { data } = (await user.get<{ data: Partner }>(partnerPath(world, id))).body;
  return [data.flags, data.sharesAccountWith?.map((each) => each.id)];
};
const alone = [[], []];
const shared = (...ids: readonly number[]) => [["shared_account"], ids];

const openShop = () => payoutsFixture(people, { partners: [{}, {}, {}] });

test("two partners with the same payment account are flagged, and so are their lines in a payout until it is paid", async () => {
  const shop = await openShop();
  const { world, alice, bob } = shop;
  const third = world.partners[2]?.id ?? 0;
  await setPayment(world, alice.id, { account: iban });
  expect(await sharing(world, alice.id)).toEqual(alone);
  await setPayment(world, bob.id, { account: "de89 3704 0044 0532 0130 00", holder: "Another" });
  await setPayment(world, third, { account: "GB82WEST12345698765432" });
  expect(await sharing(world, alice.id)).toEqual(shared(bob.id));
  expect(await sharing(world, bob.id)).toEqual(shared(alice.id));
  expect(await sharing(world, third)).toEqual(alone);
  expect(await sharing(world, alice.id, people.viewer)).toEqual([undefined, undefined]);

  await shop.earn(980);
  await shop.earn(300, { partner: bob });
  const { id } = (await shop.create()).body.data;
  const flags = async (user: User = people.admin) =>
    (await user.get<{ data: { lines: Partner[] } }>(`${shop.path}/${id}`)).body.data.lines.map((line) => line.flags);
  expect(await flags()).toEqual([["shared_account"], ["shared_account"]]);
  expect(await flags(people.viewer)).toEqual([undefined, undefined]);
  await shop.finalize(id);
  expect(await flags()).toEqual([["shared_account"], ["shared_account"]]);
  await shop.confirm(id);
  expect(await flags()).toEqual([[], []]);
  await setPayment(world, bob.id, { account: "GB82WEST12345698765432" });
  expect(await sharing(world, alice.id)).toEqual(alone);
  expect(await sharing(world, bob.id)).toEqual(shared(third));
});

test("a partner's email address counts as a payment account if it is used for payment", async () => {
  const { world, alice, bob, setEmail } = await openShop();
  await setEmail(alice.id, "ada@example.com");
  await setEmail(bob.id, "Ada@Example.com");
  expect(await sharing(world, alice.id)).toEqual(shared(bob.id));
  await setPayment(world, bob.id, { method: "paypal", account: "bob@example.com" });
  expect(await sharing(world, alice.id)).toEqual(alone);
  await setPayment(world, bob.id, { method: "wise", account: "ADA@example.com" });
  expect(await sharing(world, alice.id)).toEqual(shared(bob.id));
});

test("with the payment method other, a text without an account doesn't count as a shared account", async () => {
  const { world, alice, bob } = await openShop();
  for (const { id } of [alice, bob]) await setPayment(world, id, { method: "other", account: "Store credit" });
  expect(await sharing(world, alice.id)).toEqual(alone);
  for (const { id } of [alice, bob]) await setPayment(world, id, { method: "other", account: "ACH 021000021" });
  expect(await sharing(world, alice.id)).toEqual(shared(bob.id));
});

test("payment accounts are compared only within one program, and their digests are deleted when the partner is erased", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  for (const { world, alice } of [shop, other]) await setPayment(world, alice.id, { account: iban });
  const digests = async ({ world, alice }: typeof shop) =>
    (await world.rows("select account_digest from payment_details where partner_id = ? order by id", alice.id)).map(
      ({ account_digest }) => account_digest,
    );
  expect(await sharing(shop.world, shop.alice.id)).toEqual(alone);
  const [[own], [theirs]] = [await digests(shop), await digests(other)];
  expect(own).toMatch(/^[\w-]{43}$/);
  expect(theirs).not.toBe(own);
  const erased = await people.owner.post(`${partnerPath(shop.world, shop.alice.id)}/erase`, { confirm: true });
  expect(erased.status).toBe(200);
  expect(new Set(await digests(shop))).toEqual(new Set([null]));
});
