// Events as in the samples of https://www.revenuecat.com/docs/integrations/webhooks/sample-events, with the fields in
// https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields

const now = Date.now();

export const purchase = {
  type: "INITIAL_PURCHASE",
  id: "12345678-1234-1234-1234-123456789012",
  app_id: "1234567890",
  app_user_id: "user-1",
  aliases: ["$RCAnonymousID:8069238d6049ce87cc529853916d624c"],
  original_app_user_id: "$RCAnonymousID:87c6049c58069238dce29853916d624c",
  environment: "PRODUCTION",
  store: "APP_STORE",
  product_id: "com.subscription.weekly",
  period_type: "NORMAL",
  transaction_id: "1",
  original_transaction_id: "1",
  purchased_at_ms: now - 60_000,
  event_timestamp_ms: now - 50_000,
  currency: "EUR",
  price: 54.1,
  price_in_purchased_currency: 49.99,
  tax_percentage: 0.16,
  commission_percentage: 0.3,
  takehome_percentage: 0.7,
};

/** Returns the body of a webhook. */
export const revenueCatEvent = (over: object) => ({ api_version: "1.0", event: { ...purchase, ...over } });
