export interface SnippetContext {
  /** The service's origin. */
  readonly base: string;
  readonly programId: number;
  readonly currency: string;
}

export const languages = [
  ["node", "Node"],
  ["stripe", "Stripe webhook"],
  ["php", "PHP"],
  ["python", "Python"],
  ["curl", "cURL"],
] as const;
export type Language = (typeof languages)[number][0];

export const scriptTag = ({ base, programId }: SnippetContext): string =>
  `<script async src="${base}/js/svc-tracker.js" data-svc-gpc="minimal" data-svc-program-id="${programId}"></script>`;

export const forwardClick = `<script>
  signUpForm.onsubmit = () => {
    signUpForm.click_id.value = window.svc?.getClickId() ?? "";
  };
</script>`;

/** npm 12 and later install from a URL only if the project allows it. */
export const installSdk = (url: string): string => `echo "allow-remote=root" >> .npmrc
npm install ${url}`;

/** The environment variables, without the key: no snippet contains a key, each reads it from the environment. */
export const environment = (base: string): string => `TRIBUTARY_URL=${base}
TRIBUTARY_API_KEY=your-api-key`;

export const serverCalls: Readonly<Record<Language, (context: SnippetContext) => string>> = {
  node: ({ currency }) => `import { Tributary } from "tributary-sdk";

// Reads TRIBUTARY_URL and TRIBUTARY_API_KEY from the environment.
const tributary = new Tributary();

// When a customer signs up, with the click ID from the form.
await tributary.trackLead({ customerExternalId: String(user.id), clickId: form.click_id });

// When they pay. Amounts are in the currency's smallest unit.
await tributary.trackSale({
  customerExternalId: String(user.id),
  invoiceId: payment.id,
  amount: payment.cents,
  currency: "${currency}",
});

// When you refund them.
await tributary.trackRefund({ invoiceId: payment.id, refundId: refund.id, amount: refund.cents });
`,
  stripe: ({ programId }) => `import Stripe from "stripe";
import { Tributary } from "tributary-sdk";
import { checkoutMetadata, handleStripeEvent } from "tributary-sdk/stripe";

// Reads TRIBUTARY_URL and TRIBUTARY_API_KEY from the environment.
const tributary = new Tributary();
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY);

// When a customer signs up, with the click ID from the form. Store it with the user.
export const onSignUp = (user, form) =>
  tributary.trackLead({ customerExternalId: String(user.id), clickId: form.click_id });

// Add this to each checkout session. Its mode is "payment" or "subscription":
// stripe.checkout.sessions.create({ mode, ...metadataOf(user, mode), … })
export const metadataOf = (user, mode) =>
  checkoutMetadata({ mode, clickId: user.clickId, customerKey: String(user.id), programId: ${programId} });

// Subscribe an endpoint to checkout.session.completed, checkout.session.async_payment_succeeded,
// invoice.paid, refund.created, refund.updated, refund.failed,
// charge.dispute.funds_withdrawn and charge.dispute.funds_reinstated.
export async function onStripe(request) {
  const [body, signature] = [await request.text(), request.headers.get("stripe-signature") ?? ""];
  let event;
  try {
    event = await stripe.webhooks.constructEventAsync(body, signature, process.env.STRIPE_WEBHOOK_SECRET);
  } catch {
    return new Response("Bad signature", { status: 400 });
  }
  const options = { tributary, stripe, invoices: true, refundEvents: "refund.*" };
  const answer = await handleStripeEvent(event, options);
  return new Response(answer.body, { status: answer.status });
}
`,
  php: ({ base, currency }) => `<?php
function tributary(string $call, array $body): array
{
    for ($attempt = 1; ; $attempt++) {
        $request = curl_init("${base}/api/v1/track/$call");
        curl_setopt_array($request, [
            CURLOPT_HTTPHEADER => [
                "Authorization: Bearer " . getenv("TRIBUTARY_API_KEY"),
                "Content-Type: application/json",
            ],
            CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 3,
            CURLOPT_USERAGENT => "my-shop/1.0",
        ]);
        $answer = curl_exec($request);
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        // 409: this sale was already recorded.
        if ($answer !== false && ($status === 200 || $status === 409)) {
            return json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
        }
        // Retries once if that may help. A repeated call never counts twice.
        if ($attempt === 2 || ($answer !== false && $status !== 429 && $status < 500)) {
            throw new RuntimeException("Tributary: $status $answer");
        }
        sleep(1);
    }
}

// When a customer signs up, with the click ID from the form. A failure never breaks the sign-up.
try {
    tributary("lead", ["customer_key" => (string) $user->id, "click_id" => ($_POST["click_id"] ?? null) ?: null]);
} catch (Throwable $error) {
    error_log($error->getMessage());
}

// When they pay. Amounts are in the currency's smallest unit. If this throws, let your processor send its event again.
tributary("sale", [
    "customer_key" => (string) $user->id,
    "transaction_id" => (string) $payment->id,
    "amount_cents" => $payment->cents,
    "currency" => "${currency}",
]);

// When you refund them.
tributary("refund", [
    "transaction_id" => (string) $payment->id,
    "refund_id" => (string) $refund->id,
    "refund_amount_cents" => $refund->cents,
]);
`,
  python: ({ base, currency }) => `import json
import logging
import os
import time
import urllib.request


def tributary(call, body):
    request = urllib.request.Request(
        f"${base}/api/v1/track/{call}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['TRIBUTARY_API_KEY']}",
            "Content-Type": "application/json",
            "User-Agent": "my-shop/1.0",
        },
    )
    for attempt in (1, 2):
        try:
            with urllib.request.urlopen(request, timeout=3) as answer:
                return json.load(answer)
        except OSError as error:
            status = getattr(error, "code", None)  # None: there was no answer.
            if status == 409:  # This sale was already recorded.
                return json.load(error)
            # Retries once if that may help. A repeated call never counts twice.
            if attempt == 2 or (status and status != 429 and status < 500):
                raise
        time.sleep(1)


# When a customer signs up, with the click ID from the form. A failure never breaks the sign-up.
try:
    tributary("lead", {"customer_key": str(user.id), "click_id": form.get("click_id") or None})
except Exception:
    logging.exception("Tributary: the sign-up of %s was not reported", user.id)

# When they pay. Amounts are in the currency's smallest unit. If this raises, let your processor send its event again.
tributary("sale", {
    "customer_key": str(user.id),
    "transaction_id": str(payment.id),
    "amount_cents": payment.cents,
    "currency": "${currency}",
})

# When you refund them.
tributary("refund", {
    "transaction_id": str(payment.id),
    "refund_id": str(refund.id),
    "refund_amount_cents": refund.cents,
})
`,
  curl: ({ base, currency }) => `# When a customer signs up, with the click ID from the form.
curl ${base}/api/v1/track/lead \\
  -H "Authorization: Bearer $TRIBUTARY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"customer_key": "your-customer-id", "click_id": "click-id-from-the-form"}'

# When they pay. Amounts are in the currency's smallest unit.
curl ${base}/api/v1/track/sale \\
  -H "Authorization: Bearer $TRIBUTARY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"customer_key": "your-customer-id", "transaction_id": "your-payment-id",
       "amount_cents": 4900, "currency": "${currency}"}'

# When you refund them.
curl ${base}/api/v1/track/refund \\
  -H "Authorization: Bearer $TRIBUTARY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"transaction_id": "your-payment-id", "refund_id": "your-refund-id", "refund_amount_cents": 900}'
`,
};
