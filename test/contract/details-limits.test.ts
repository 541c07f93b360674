import { expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { partnerSide } from "../support/partner-side.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars, limits: {} });

const partnersOf = ({ programId }: World) => `/api/programs/${programId}/partners`;
const paypal = (name: string) => ({ method: "paypal", account: `${name}@pay.example`, holder: "Ada" });

test("an owner can correct payment details even after a partner's account has reached its limit of changes", {
  tags: "finding",
}, async () => {
  const owner = await own.user("Olga");
  const world = await own.world({ partners: [{}], members: [{ user: owner, role: "owner" }] });
  const thief = await own.user("Thief");
  const side = await partnerSide(world, thief, world.partner.id);
  const change = (i: number) => thief.put(`${side}/payment`, { ...paypal(`a${i}`), password: thief.password });
  for (let i = 0; i < 20; i += 1) expect((await change(i)).status).toBe(200);
  expect((await change(20)).status).toBe(429);
  const corrected = await owner.put(`${partnersOf(world)}/${world.partner.id}/payment`, paypal("right"));
  expect(corrected.status, corrected.text).toBe(200);
});

test("a partner who changes their email address all day doesn't use up the email limits of other partners", {
  tags: "soak",
}, async () => {
  const owner = await own.user("Olga");
  const world = await own.world({ partners: [{}, {}], members: [{ user: owner, role: "owner" }] });
  const [first = 0, second = 0] = world.partners.map(({ id }) => id);
  const accounts = [await own.user("Eve"), await own.user("Mallory")];
  const sides: string[] = [];
  for (const account of accounts) sides.push(await partnerSide(world, account, first));
  for (let i = 0; i < 204; i += 1) {
    const [account, side] = [accounts[i % 2], sides[i % 2]];
    const email = `stranger-${world.programId}-${i}@example.com`;
    await account?.patch(`${side}/profile`, { email, password: account.password });
  }
  const path = `${partnersOf(world)}/${second}`;
  for (const email of [`a${second}@example.com`, `b${second}@example.com`])
    expect((await owner.patch(path, { email })).status).toBe(200);
  expect((await owner.put(`${path}/payment`, paypal("bob"))).status).toBe(200);
  expect((await owner.post(`${path}/invitations`, {})).status).toBe(201);
});
