import { expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import { partnerSide } from "../support/partner-side.ts";
import { sharedUser } from "../support/shared-service.ts";
import { turnOnTotp } from "../support/totp.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const told = (reply: Reply<unknown>) => [reply.status, invalidFields(reply) ?? reply.body.error.details.code];

async function withFactor() {
  const user = await sharedUser();
  const { recoveryCodes, wrongCode } = await turnOnTotp(user);
  return { user, recoveryCodes, wrongCode, password: user.password };
}

test("deleting an account with two-factor authentication requires the password and a code", async () => {
  const { user, recoveryCodes, wrongCode, password } = await withFactor();
  const [code = ""] = recoveryCodes;
  const remove = (body: JsonObject) => user.delete("/api/auth/user", { body });
  expect(told(await remove({ password }))).toEqual([400, ["code"]]);
  expect(told(await remove({ code }))).toEqual([400, ["password"]]);
  expect(told(await remove({ password, code: wrongCode }))).toEqual([400, ["code"]]);
  expect(told(await remove({ password: "another password", code }))).toEqual([400, ["password"]]);
  expect((await remove({ password, code })).status).toBe(200);
});

test("an account with two-factor authentication needs the password and a code to change a partner's payment details or email address", async () => {
  const world = await people.world({ partners: [{}] });
  const { user, recoveryCodes, wrongCode, password } = await withFactor();
  const [first = "", second = ""] = recoveryCodes;
  const side = await partnerSide(world, user, world.partner.id);
  const details = { method: "paypal", account: "anna@partners.example", holder: "Anna" };
  const pay = (body: JsonObject) => user.put(`${side}/payment`, { ...details, ...body });
  const rename = (body: JsonObject) => user.patch(`${side}/profile`, { email: "anna@partners.example", ...body });
  for (const change of [pay, rename]) {
    expect(told(await change({ password }))).toEqual([400, ["code"]]);
    expect(told(await change({ password, code: wrongCode }))).toEqual([400, ["code"]]);
    expect(told(await change({ password: "another password", code: first }))).toEqual([400, "wrong_password"]);
  }
  expect((await pay({ password, code: first })).status).toBe(200);
  expect(told(await rename({ password, code: first }))).toEqual([400, ["code"]]);
  expect((await rename({ password, code: second })).status).toBe(200);
});
