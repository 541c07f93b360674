import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Language, serverCalls } from "../../dashboard/src/pages/setup/snippets.ts";
import { type Integrator, newIntegrator } from "../support/integrator.ts";
import { clickOf, createProgramFixture, day } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

// The code that the dashboard's Setup shows, as an integrator would paste it.

let integrator: Integrator;
beforeAll(async () => {
  integrator = await newIntegrator();
  await integrator.shell(`echo "allow-remote=root" > .npmrc; npm install ${sharedService.url}/${inject("sdk").file}`);
});
afterAll(() => integrator.dispose());

async function shop(language: Language) {
  const fixture = await createProgramFixture({ partners: [{ code: "anna" }, {}] });
  const { programId, partner, key } = fixture.world;
  const clickId = clickOf(programId, partner, Date.now() - day);
  const code = serverCalls[language]({ base: sharedService.url, programId, currency: "EUR" });
  const env = { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: key };
  /** The sale earned its commission, less the refund's share. */
  const expectEarned = async (transactionId: string) => {
    const explained = await fixture.api.request("GET", `/api/v1/programs/me/explain?transaction_id=${transactionId}`, {
      key,
    });
    expect(explained.body.verdict).toMatchObject({ partner_code: "anna", commission_cents: 800 });
  };
  return { ...fixture, clickId, code, env, expectEarned };
}

test("Node", async () => {
  const { clickId, code, env, expectEarned } = await shop("node");
  const objects = `const [user, form] = [{ id: "u1" }, { click_id: ${JSON.stringify(clickId)} }];
const [payment, refund] = [{ id: "p1", cents: 4900 }, { id: "r1", cents: 900 }];
`;
  await writeFile(join(integrator.project, "shop.mjs"), objects + code);
  await integrator.shell("node shop.mjs", { env });
  await expectEarned("p1");
});

test("cURL", async () => {
  const { clickId, code, env, expectEarned } = await shop("curl");
  await integrator.shell(code.replace("click-id-from-the-form", clickId), { env });
  await expectEarned("your-payment-id");
});

const hasPython = (() => {
  try {
    return execFileSync("python3", ["--version"]).length > 0;
  } catch {
    return false;
  }
})();

test.skipIf(!hasPython)("Python, each call twice", async () => {
  const { clickId, code, env, expectEarned } = await shop("python");
  const objects = `from types import SimpleNamespace as Of
user, form = Of(id=7), {"click_id": ${JSON.stringify(clickId)}}
payment, refund = Of(id="p1", cents=4900), Of(id="r1", cents=900)
`;
  await writeFile(join(integrator.project, "shop.py"), objects + code);
  await integrator.shell("python3 shop.py && python3 shop.py", { env });
  await expectEarned("p1");
});

test("the Stripe webhook: a checkout's metadata, a sign-up, a bad signature and an event", async () => {
  const { code, env } = await shop("stripe");
  const library = join(integrator.project, "node_modules/stripe");
  await mkdir(library, { recursive: true });
  await writeFile(join(library, "package.json"), '{"name":"stripe","type":"module","exports":"./index.js"}');
  await writeFile(
    join(library, "index.js"),
    `export default class { webhooks = { constructEventAsync: async (body, signature) => {
      if (signature !== "good") throw new Error("bad");
      return JSON.parse(body);
    } } }`,
  );
  await writeFile(join(integrator.project, "webhook.mjs"), code);
  const calls = `import { metadataOf, onSignUp, onStripe } from "./webhook.mjs";
const event = JSON.stringify({ id: "evt_1", object: "event", type: "customer.created", livemode: true, data: { object: {} } });
const send = (signature) => onStripe(new Request("https://shop.example", { method: "POST", body: event, headers: { "stripe-signature": signature } }));
console.log(JSON.stringify({
  metadata: metadataOf({ id: "u1", clickId: "c1" }).metadata,
  lead: (await onSignUp({ id: "u1" }, {})).ok,
  statuses: [(await send("bad")).status, (await send("good")).status],
}));`;
  await writeFile(join(integrator.project, "calls.mjs"), calls);
  const output = await integrator.shell("node calls.mjs", {
    env: { ...env, STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "wh" },
  });
  expect(JSON.parse(output)).toMatchObject({
    metadata: { svc_click_id: "c1", svc_customer_key: "u1" },
    lead: true,
    statuses: [400, 200],
  });
});
