export const webhookStatuses = ["active", "disabled"] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const deliveryStatuses = ["waiting", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Of a webhook. `failures`: the service itself, after days of nothing else. */
export const webhookDisablers = ["member", "failures"] as const;
