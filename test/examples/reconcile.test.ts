import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { checkoutMetadata } from "../../sdk/src/processors/keys.ts";
import { fakeApi, stripeReads } from "../sdk/fake-processors.ts";
import { blocksOf, patternOf, readDocument } from "../support/documents.ts";
import { type Integrator, integratorWithSdk } from "../support/integrator.ts";
import { at, createProgramFixture, daysAgo } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { type Payment, paidOnce, secondsNow } from "./stripe-payment.ts";

let integrator: Integrator;
beforeAll(async () => {
  integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
});
afterAll(() => integrator.dispose());

test("the commands of docs/reconcile.md print what the page shows", { tags: "soak" }, async () => {
  const shop = await createProgramFixture();
  const { world } = shop;
  const payments = Array.from({ length: 5 }, (_, i) =>
    paidOnce({
      api: "2026-10-28.endive",
      at: secondsNow() - 3_600 * (i + 1),
      metadata: checkoutMetadata({ customerKey: "customer-1", programId: world.programId }),
    }),
  );
  const [missing, refunded, doubled] = payments as [Payment, Payment, Payment];
  const record = (payment: Payment, transaction_id = payment.paymentIntent) =>
    shop.sale({ transaction_id, customer_key: "customer-1", amount_cents: 4_900, occurred_at: at(payment.at * 1_000) });
  for (const payment of payments) if (payment !== missing) await record(payment);
  await record(doubled, doubled.session);
  await shop.sale({
    transaction_id: "order-1",
    customer_key: "customer-2",
    amount_cents: 4_900,
    occurred_at: at(daysAgo(1)),
  });
  const key = "rk_live_of_the_page";
  const stripe = await fakeApi(stripeReads(payments, [{ id: "re_1", payment: refunded, amount: 1_000 }]), { key });

  const [compare, compared, apply, applied, lookup, found, list, report, ...more] = blocksOf(
    readDocument("docs/reconcile.md"),
  );
  expect(more).toEqual([]);
  const env = {
    ...{ TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: world.key, STRIPE_API_KEY: key },
  };
  // The page abbreviates the key and uses Stripe's real address.
  const own = (text = "") =>
    text.replace(/^export .*\n/, "").replace("reconcile stripe", `reconcile stripe --api ${stripe.url}`);
  // The command exits with 1 if it finds a difference.
  const output = async (text: string | undefined) =>
    (await integrator.shell(`${own(text).trim()} || true`, { env })).trim();
  expect(await output(compare?.text)).toMatch(patternOf(compared?.text ?? ""));
  expect(await output(apply?.text)).toMatch(patternOf(applied?.text ?? ""));
  const answer = async (text: string | undefined) => JSON.parse(await integrator.shell(text ?? "", { env }));
  const page = JSON.parse(found?.text ?? "");
  expect(await answer(lookup?.text)).toEqual({
    ...page,
    found: [{ ...page.found[0], occurred_at: expect.stringMatching(/Z$/) }],
  });
  expect((await answer(list?.text)).data).toHaveLength(7);
  expect((await answer(report?.text)).data).toMatchObject({ processor: "adyen", matched: 812 });
});
