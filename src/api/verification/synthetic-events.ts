import { noDetails } from "#domain/sale-type.ts";
import type { Call, TrustedCaller, VerifiedClick } from "#operations/operation.ts";
import type { LeadCall } from "#operations/track/lead.ts";
import type { ClickCall, Visit } from "#operations/track/record-click.ts";
import type { SaleCall } from "#operations/track/sale.ts";

const amountCents = 9_999;

/**
 * The values are empty, so that a click from the dashboard can be distinguished from a click that the browser script
 * reports.
 */
export const noVisit: Visit = {
  visitorDigest: null,
  source: "server",
  isBot: false,
  isPrefetch: false,
  pageUrl: null,
  referrerUrl: null,
  pageTitle: null,
  screenResolution: null,
  viewportSize: null,
  language: null,
  timezone: null,
  country: null,
  region: null,
  city: null,
  deviceType: null,
  os: null,
  browser: null,
};

export const testClick = (call: Call, key: TrustedCaller, code: string | null = null): ClickCall => ({
  ...call,
  kind: "click",
  isTest: true,
  key,
  programId: key.programId,
  code,
  codeParam: null,
  sub: null,
  occurredAt: call.at,
  eventId: null,
  existingClickId: null,
  eventName: null,
  isLimited: false,
  visit: noVisit,
});

export const testLead = (call: Call, key: TrustedCaller, customerKey: string, click?: VerifiedClick): LeadCall => ({
  ...call,
  kind: "lead",
  isTest: true,
  key,
  programId: key.programId,
  clicks: click === undefined ? [] : [click],
  sentClickId: click !== undefined,
  customerKey,
  email: null,
  pageUrl: null,
  eventName: null,
  occurredAt: call.at,
});

export const testSale = (call: Call, key: TrustedCaller, transactionId: string, customerKey: string): SaleCall => ({
  ...call,
  kind: "sale",
  isTest: true,
  key,
  transactionId,
  amountCents,
  currency: null,
  customerKey,
  clickId: null,
  clicks: [],
  sentClickId: false,
  ...noDetails,
  occurredAt: call.at,
  sentOccurredAt: false,
});
