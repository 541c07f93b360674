export const webhookStatuses = ["active", "disabled"] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const deliveryStatuses = ["waiting", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** `failures`: the service disabled the webhook, after days of nothing but failures. */
export const webhookDisablers = ["member", "failures"] as const;
