import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { type Integrator, integratorWithSdk } from "../support/integrator.ts";
import { createProgramFixture, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { typeFaultsIn } from "../support/type-faults.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { checkoutCompleted } from "./stripe-events.ts";
import { paidOnce } from "./stripe-payment.ts";

const people = usersOfFile();
const webhookSecret = "whsec_of_the_tests";

let integrator: Integrator;
let project: string;

beforeAll(async () => {
  integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
  project = integrator.project;
  for (const name of ["stripe", "@types"]) {
    await symlink(join(root, "node_modules", name), join(project, "node_modules", name));
  }
  await writeFile(join(project, "package.json"), '{"type":"module"}');
});
afterAll(() => integrator.dispose());

function codeOf(page: string) {
  const all = blocksOf(readDocument(`docs/${page}.md`));
  const of = (kind: string) => all.flatMap(({ language, text }) => (language === kind ? [text] : []));
  return { code: of("ts").join("\n"), output: of("text").join("") };
}

const environmentFor = ({ world }: ProgramFixture) => ({
  TRIBUTARY_URL: sharedService.url,
  TRIBUTARY_API_KEY: world.key,
  STRIPE_SECRET_KEY: "sk_test_unused",
  STRIPE_WEBHOOK_SECRET: webhookSecret,
});

const shopWithDemo = () => createProgramFixture({ partners: [{ code: "DEMO" }, {}] });

test.each(["attribution", "corrections", "coupons", "money"])(
  "the code of docs/%s.md compiles, and prints the results in its text",
  { tags: "soak" },
  async (page) => {
    const { code, output } = codeOf(page);
    await writeFile(join(project, `${page}.ts`), code);
    expect(await typeFaultsIn(integrator, `${page}.ts`)).toBe("");
    const env = environmentFor(await shopWithDemo());
    // Runs as plain JavaScript, as the page states.
    await writeFile(join(project, `${page}.mjs`), code);
    expect(await integrator.shell(`node ${page}.mjs 2>&1`, { env })).toBe(output);
  },
);

test("the code of docs/testing.md compiles, and prints the results in its text, with a test key in a current program", {
  tags: "soak",
}, async () => {
  const { code, output } = codeOf("testing");
  await writeFile(join(project, "testing.ts"), code);
  expect(await typeFaultsIn(integrator, "testing.ts")).toBe("");
  await writeFile(join(project, "testing.mjs"), code);
  const createdAt = Date.now();
  const run = async (policy: object) => {
    const shop = await createProgramFixture({
      program: { createdAt },
      partners: [{ code: "DEMO", createdAt }, {}],
      keys: [{ scopes: ["track"], book: "test" }],
      policies: [{ effectiveFrom: createdAt, createdAt, ...policy }],
    });
    return integrator.shell("node testing.mjs 2>&1", { env: environmentFor(shop) });
  };
  expect(await run({})).toBe(output);
  const paid = output.split("\n").slice(0, 2);
  expect((await run({ scope: "recurring", durationMonths: 12 })).split("\n")).toEqual([
    ...paid,
    "16 days ago: void commission_duration_over",
    "14 days ago: void commission_duration_over",
    "",
  ]);
});

test("the code of docs/offers.md compiles, and discounts the first purchase of a partner's customer", {
  tags: "soak",
}, async () => {
  const { code } = codeOf("offers");
  const shop = programFixture(await people.world({ partners: [{ code: "DEMO" }, {}] }), sharedApi());
  const offer = { label: "20% off", couponIds: { stripe: "FRIEND20" } };
  await people.admin.put(`/api/programs/${shop.world.programId}/offer`, { offer });
  const { click_id } = await shop.visit();
  const calls = `
    Object.assign(stripe.checkout.sessions, { create: async (asked: object) => asked });
    for (const customer of [{ id: "user-1", clickId: ${JSON.stringify(click_id)} }, { id: "user-2" }]) {
      const { discounts } = await checkOut(customer);
      console.log(JSON.stringify(discounts ?? null));
    }`;
  await writeFile(join(project, "offers.ts"), code + calls);
  expect(await typeFaultsIn(integrator, "offers.ts")).toBe("");
  expect(await integrator.shell("node offers.ts 2>&1", { env: environmentFor(shop) })).toBe(
    '[{"coupon":"FRIEND20"}]\nnull\n',
  );
});

test("the code of docs/integration.md compiles, and leads a customer from sign-up to a paid sale", async () => {
  const { code } = codeOf("integration");
  const shop = await shopWithDemo();
  const { click_id } = await shop.visit();
  const metadata = { svc_customer_key: "user-1", program_id: String(shop.world.programId) };
  const payment = paidOnce({ api: "2026-10-28.endive", metadata });
  const payload = JSON.stringify(checkoutCompleted(payment), null, 2);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
  const signUp = `onSignUp({ id: "user-1", email: "buyer@shop.example" }, { click_id: ${JSON.stringify(click_id)} });`;
  const calls = `
    ${signUp}
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const deliver = (signature: string) => {
      const init = { method: "POST", body: ${JSON.stringify(payload)}, headers: { "stripe-signature": signature } };
      return onStripe(new Request("https://shop.example/stripe", init));
    };
    for (const answer of [await deliver(${JSON.stringify(signature)}), await deliver("t=1,v1=00")])
      console.log(answer.status, await answer.text());
    const renewal = await onPayment({ id: "user-1" }, { id: "pay_2", cents: 900, subscription: "sub_1" });
    console.log(renewal.status, renewal.data?.commission.amountCents);`;
  await writeFile(join(project, "integration.ts"), code + calls);
  expect(await typeFaultsIn(integrator, "integration.ts")).toBe("");
  expect(await integrator.shell("node integration.ts 2>&1", { env: environmentFor(shop) })).toBe(
    "200 Recorded.\n400 Bad signature\n200 180\n",
  );
  expect(await shop.all("leads")).toMatchObject([{ customer_key: "user-1", partner_code: "DEMO", evidence: "key" }]);
  const sales = await shop.all("sales");
  expect(sales.map(({ transaction_id }) => transaction_id)).toEqual([payment.paymentIntent, "pay_2"]);
});
