import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Language, serverCalls } from "../../dashboard/src/pages/setup/snippets.ts";
import { root } from "../../scripts/root.ts";
import { good } from "../sdk/misbehaving.ts";
import { answer, type Behaviour, cut, refusal, serverThat } from "../sdk/server-that.ts";
import { sampled } from "../support/breadth.ts";
import { type Integrator, integratorWithSdk } from "../support/integrator.ts";
import { whyNot } from "../support/interpreters.ts";
import { clickOf, createProgramFixture, day } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

// Runs the code that the dashboard's Setup page shows, as an integrator would paste it.

let integrator: Integrator;
beforeAll(async () => {
  integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
});
afterAll(() => integrator.dispose());

async function shop(language: Language) {
  const fixture = await createProgramFixture({ partners: [{ code: "anna" }, {}] });
  const { programId, partner, key } = fixture.world;
  const clickId = clickOf(programId, partner, Date.now() - day);
  const code = serverCalls[language]({ base: sharedService.url, programId, currency: "EUR" });
  const env = { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: key };
  /** Checks that the sale earned its commission, less the refund's share. */
  const expectEarned = async (transactionId: string) => {
    const explained = await fixture.api.request("GET", `/api/v1/programs/me/explain?transaction_id=${transactionId}`, {
      key,
    });
    expect(explained.body.verdict).toMatchObject({ partner_code: "anna", commission_cents: 800 });
  };
  return { ...fixture, clickId, code, env, expectEarned };
}

test("the Node snippets on the Setup page run and record a commission", async () => {
  const { clickId, code, env, expectEarned } = await shop("node");
  const objects = `const [user, form] = [{ id: "u1" }, { click_id: ${JSON.stringify(clickId)} }];
const [payment, refund] = [{ id: "p1", cents: 4900 }, { id: "r1", cents: 900 }];
`;
  await writeFile(join(integrator.project, "shop.mjs"), objects + code);
  await integrator.shell("node shop.mjs", { env });
  await expectEarned("p1");
});

test("the cURL snippets on the Setup page run and record a commission", async () => {
  const { clickId, code, env, expectEarned } = await shop("curl");
  await integrator.shell(code.replace("click-id-from-the-form", clickId), { env });
  await expectEarned("your-payment-id");
});

/** Code without an SDK, with definitions of the integrator's own objects that the code uses. */
const others = {
  python: {
    run: "python3",
    check: ["--version"],
    extension: "py",
    with: (code: string, clickId: string) => `from types import SimpleNamespace as Of
user, form = Of(id=7), {"click_id": ${JSON.stringify(clickId)}}
payment, refund = Of(id="p1", cents=4900), Of(id="r1", cents=900)
${code}`,
    signedUp: 'print("signed up")',
  },
  php: {
    run: "php",
    check: ["--ri", "curl"],
    extension: "php",
    with: (code: string, clickId: string) => `<?php
[$user, $_POST["click_id"]] = [(object) ["id" => 7], ${JSON.stringify(clickId)}];
$payment = (object) ["id" => "p1", "cents" => 4900];
$refund = (object) ["id" => "r1", "cents" => 900];
${code.replace("<?php\n", "")}`,
    signedUp: 'echo "signed up\\n";',
  },
} as const;

describe.each(["python", "php"] as const)("the code in %s", (language) => {
  const { run, check, extension, with: complete, signedUp } = others[language];
  const file = `shop.${extension}`;
  const reason = whyNot(run, ...check);

  test.skipIf(reason)("the Python and PHP snippets run with each call sent twice", async () => {
    const { clickId, code, env, expectEarned } = await shop(language);
    await writeFile(join(integrator.project, file), complete(code, clickId));
    await integrator.shell(`${run} ${file} && ${run} ${file}`, { env });
    await expectEarned("p1");
  });

  const failures: [string, Behaviour[], string[]][] = [
    ["is unreachable", [cut], ["lead", "lead", "sale", "sale"]],
    ["is busy for a moment", [refusal(429, "busy"), good], ["lead", "lead", "sale", "refund"]],
    ["fails", [refusal(500, "failed")], ["lead", "lead", "sale", "sale"]],
    ["refuses", [refusal(401, "wrong key")], ["lead", "sale"]],
    ["returns something else", [answer(200, "<h1>Hello</h1>")], ["lead", "sale"]],
  ];
  test.skipIf(reason).each(sampled(failures))(
    "the Python and PHP snippets never break a sign-up if the service %s",
    async (_, behaviours, expected) => {
      const { url: base, calls } = await serverThat(...behaviours);
      const code = serverCalls[language]({ base, programId: 1, currency: "EUR" });
      const [signUp = "", others = ""] = code.split(/^.*When they pay.*$/m);
      await writeFile(join(integrator.project, file), complete(`${signUp}\n${signedUp}\n${others}`, ""));
      const env = { TRIBUTARY_API_KEY: "svc_1_x" };
      expect(await integrator.shell(`${run} ${file} 2> log || true`, { env })).toMatch(/^signed up\n/m);
      expect(calls.map(({ path }) => path.replace("/api/v1/track/", ""))).toEqual(expected);
      expect(calls[0]).toMatchObject({ agent: "my-shop/1.0", body: { customer_key: "7", click_id: null } });
    },
  );
});

test("the Stripe webhook on the Setup page lists every event type about money", async () => {
  const guide = await readFile(join(root, "docs/integration.md"), "utf8");
  const [, table = ""] = guide.split("Subscribe the endpoint to these events:");
  const rows = table.split("\n\n")[1]?.split("\n").slice(2) ?? [];
  const always = rows.filter((row) => !row.includes("| Only "));
  const types = always.flatMap((row) => row.split("|")[1]?.match(/[\w.]+/g) ?? []);
  expect(types).toContain("charge.dispute.funds_withdrawn");
  const code = serverCalls.stripe({ base: "", programId: 1, currency: "EUR" });
  expect(code.match(/(?<=^\/\/.*)[a-z_]+\.[a-z_.]+[a-z]/gm)?.filter((type) => types.includes(type))).toEqual(types);
});

test("the Stripe webhook on the Setup page handles a checkout's metadata, a sign-up, a bad signature and an event", async () => {
  const { code, env, world } = await shop("stripe");
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
  modes: ["payment", "subscription"].map((mode) => metadataOf({ id: "u1", clickId: "c1" }, mode)),
  lead: (await onSignUp({ id: "u1" }, {})).ok,
  statuses: [(await send("bad")).status, (await send("good")).status],
}));`;
  await writeFile(join(integrator.project, "calls.mjs"), calls);
  const output = await integrator.shell("node calls.mjs", {
    env: { ...env, STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "wh" },
  });
  const metadata = { svc_click_id: "c1", svc_customer_key: "u1", program_id: String(world.programId) };
  expect(JSON.parse(output)).toEqual({
    modes: [{ metadata }, { metadata, subscription_data: { metadata } }],
    lead: true,
    statuses: [400, 200],
  });
});
