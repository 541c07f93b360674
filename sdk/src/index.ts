export type { AdditionalData, CallOptions, ClickInput, LeadInput, RefundInput, SaleInput } from "./inputs.ts";
export type * from "./results.ts";
export type { Abortable, FetchLike } from "./transport.ts";
export { Tributary, type TributaryOptions, type Warning } from "./tributary.ts";
