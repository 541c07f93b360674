import type { hc, InferResponseType } from "hono/client";
import type { sessionRoutes } from "#doors/member/index.ts";

// Types of list entries. They aren't in the file of the client, so that modules without side effects can import them.

type Api = ReturnType<typeof hc<typeof sessionRoutes>>["api"];
type Row<Call> = Extract<InferResponseType<Call>, { data: readonly unknown[] }>["data"][number];

export type TrackedEvent = Row<Api["tracking"]["events"][":programId"]["$get"]>;
export type EventKind = TrackedEvent["event_type"];
export type EventOf<Kind extends EventKind> = Extract<TrackedEvent, { event_type: Kind }>;
export type ListedCommission = Row<Api["programs"][":programId"]["commissions"]["$get"]>;
export type Webhook = Row<Api["programs"][":programId"]["webhooks"]["$get"]>;
export type Delivery = Row<Api["programs"][":programId"]["webhooks"][":webhookId"]["deliveries"]["$get"]>;
export type FeedEvent = Extract<
  InferResponseType<Api["programs"][":programId"]["feed"]["$get"]>,
  { data: { events: unknown } }
>["data"]["events"][number];
export type LoggedRequest = Row<Api["programs"][":programId"]["requests"]["$get"]>;
export type Customer = Row<Api["programs"][":programId"]["customers"]["$get"]>;
export type AuditEntry = Row<Api["programs"][":programId"]["audit"]["$get"]>;
export type MailOutcome = Extract<
  InferResponseType<Api["programs"][":programId"]["payouts"][":payoutId"]["statements"]["mail"]["$post"]>,
  { data: { outcomes: unknown } }
>["data"]["outcomes"][number];
type PayoutDetails = Extract<
  InferResponseType<Api["programs"][":programId"]["payouts"][":payoutId"]["$get"]>,
  { data: { lines: unknown } }
>["data"];
export type LineChange = PayoutDetails["changes"][number];
export type Explanation = Extract<
  InferResponseType<Api["tracking"]["explain"][":programId"]["$get"]>,
  { verdict: unknown }
>;
export type StoryEvent = Explanation["events"][number];
export type Statement = Extract<
  InferResponseType<Api["programs"][":programId"]["partners"][":partnerId"]["statement"]["$get"]>,
  { data: { entries: unknown } }
>;
export type BalanceParts = Extract<
  InferResponseType<Api["programs"][":programId"]["partners"][":partnerId"]["balance-parts"]["$get"]>,
  { data: object }
>;
