import { checkoutMetadata } from "tributary-sdk/stripe";
import { shop } from "../shop";

export async function POST(request: Request): Promise<Response> {
  const { programId, stripe } = shop();
  const returnTo = new URL("/", request.url).href;
  const [, customerKey, clickId] = /\bcustomer=([\w-]+)\.([\w-]*)/.exec(request.headers.get("cookie") ?? "") ?? [];
  if (customerKey === undefined) return Response.redirect(returnTo, 303);
  const price = { currency: "eur", unit_amount: 4900, product_data: { name: "Pro" } };
  const { url } = await stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ quantity: 1, price_data: { ...price, recurring: { interval: "month" } } }],
    client_reference_id: customerKey,
    success_url: returnTo,
    cancel_url: returnTo,
    ...checkoutMetadata({ clickId, customerKey, programId, mode: "subscription" }),
  });
  return Response.redirect(url ?? returnTo, 303);
}
