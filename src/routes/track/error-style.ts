import type { RefusalStyle } from "#http/refusal/table.ts";

export const trackingStyle = (event: "Click" | "Lead" | "Sale" | "Refund"): RefusalStyle => ({
  envelope: "platform",
  messages: { internal: `${event} tracking failed` },
});
