import { expect, test } from "vitest";
import { createApi } from "../../harness/client.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { openMerchantSite, pageOf } from "../support/merchant-site.ts";
import { sharedService } from "../support/shared-service.ts";

const visitor = isolatedBrowser();

test("a landing earns a commission when the page's form sends the click id to the merchant's server", async () => {
  const customer = await openMerchantSite(visitor);
  const { world } = customer;
  const form = `<form action="/signed-up"><input type="hidden" name="click" id="click"><button>Sign up</button></form>`;
  const fill = `<script>document.querySelector("form").onsubmit = () => { click.value = svc.getClickId() || ""; }</script>`;
  customer.pages.set("/join", pageOf(customer.tag(), form + fill));
  await customer.visit(customer.landing());
  await customer.visit(customer.at("/join"));
  await customer.page.click("button");
  await customer.page.waitForURL("**/signed-up?click=*");
  const click_id = new URL(customer.page.url()).searchParams.get("click");
  expect(customer.lines()).toEqual(["POST click"]);

  const backend = createApi(sharedService.url);
  const lead = await backend.lead({ click_id, customer_key: "user-1" }, { key: world.key });
  expect(lead.body).toMatchObject({ attributed: true, partner_code: world.partner.code });
  const order = { transaction_id: "order-1", amount_cents: 4_900, customer_key: "user-1" };
  const sale = await backend.sale(order, { key: world.key });
  expect(sale.body).toMatchObject({ attributed: true, commission: { amount_cents: 980, unconfirmed: false } });
  const commissions = await world.rows(
    "select partner_id, amount_cents, status from commissions where program_id = ?",
    world.programId,
  );
  expect(commissions).toMatchObject([{ partner_id: world.partner.id, amount_cents: 980, status: "pending" }]);
});

test("a sign-up reported by the page earns an unconfirmed commission", async () => {
  const customer = await openMerchantSite(visitor);
  const { world } = customer;
  await customer.visit(customer.landing());
  await customer.run("svc.signup('user-1', 'user@shop.example')");
  expect(customer.lines()).toEqual(["POST click", "POST lead"]);
  const order = { transaction_id: "order-1", amount_cents: 4_900, customer_key: "user-1" };
  const sale = await createApi(sharedService.url).sale(order, { key: world.key });
  expect(sale.body).toMatchObject({ attributed: true, commission: { amount_cents: 980, unconfirmed: true } });
});
