import { dayMs } from "./calendar.ts";

/** Outcomes of a tracking call. `conflict` means that the event is already recorded with other values. */
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

const requestsKeptDays = 7;
export const requestsKeptMs = requestsKeptDays * dayMs;
/** The most calls stored for a program. */
export const mostRequests = 20_000;
/** The most refused calls without a valid key that are stored for a program in a minute. */
export const mostUnsignedAMinute = 10;
