import type { ChainVerdict, TestChain } from "./readiness.ts";

/** Runs of the verification chain that a program has in an hour. */
export const maxRunsPerHour = 10;

/** What an event of a chain came to that was recorded for the partner with `partnerCode`, if for any. */
export const verdictOf = (expectedCode: string, partnerCode: string | undefined): ChainVerdict =>
  partnerCode === undefined ? "unattributed" : partnerCode === expectedCode ? "attributed" : "wrong_partner";

/** Whether a chain shows that money would find its way: every event of it was attributed. */
export const isFullyAttributed = ({ click, lead, sale }: TestChain): boolean =>
  [click, lead, sale].every((verdict) => verdict === "attributed");
