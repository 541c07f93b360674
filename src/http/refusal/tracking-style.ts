import type { RefusalStyle } from "./table.ts";

export const trackingStyle = (event: "Click" | "Lead" | "Sale" | "Refund"): RefusalStyle => ({
  envelope: "platform",
  messages: { internal: `${event} tracking failed` },
});
