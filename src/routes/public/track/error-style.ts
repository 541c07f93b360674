import type { FailureStyle } from "../../../http/refusal/table.ts";

export const trackingStyle = (event: "Click" | "Lead" | "Sale" | "Refund"): FailureStyle => ({
  envelope: "platform",
  messages: { internal: `${event} tracking failed` },
});
