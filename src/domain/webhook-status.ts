export const webhookStatuses = ["active", "disabled"] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const deliveryStatuses = ["waiting", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * The cause of a disabled webhook. `member`: a member disabled it. `failures`: the service did, after all deliveries
 * had failed for days.
 */
export const webhookDisablers = ["member", "failures"] as const;
