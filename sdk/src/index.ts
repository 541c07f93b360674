export type { TributaryClient } from "./client.ts";
export type {
  AdditionalData,
  CallOptions,
  ClickInput,
  LeadInput,
  OfferInput,
  RefundInput,
  SaleInput,
  SaleItem,
} from "./inputs.ts";
export type * from "./readiness.ts";
export type * from "./results.ts";
export type { FetchLike } from "./transport.ts";
export { Tributary, type TributaryOptions } from "./tributary.ts";
