import { dayMs } from "./calendar.ts";

/** Outcomes of a tracking call: `conflict` means recorded before with other values. */
export const requestOutcomes = ["recorded", "duplicate", "conflict", "unattributed", "refused", "unavailable"] as const;
export type RequestOutcome = (typeof requestOutcomes)[number];

export const trackingRoutes = [
  "/api/v1/track/click",
  "/api/v1/track/lead",
  "/api/v1/track/sale",
  "/api/v1/track/refund",
] as const;
export type TrackingRoute = (typeof trackingRoutes)[number];

export const isTrackingRoute = (path: string): path is TrackingRoute => trackingRoutes.some((route) => route === path);

export const requestsKeptDays = 7;
export const requestsKeptMs = requestsKeptDays * dayMs;
/** Limit of a program. */
export const mostRequests = 20_000;
/** Limit of a program on refused calls without a valid key. */
export const mostUnsignedAMinute = 10;
