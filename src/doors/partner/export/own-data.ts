import { PaymentSummary, paymentSummary } from "#api/payment-details.ts";
import { accountActions } from "#domain/account-event.ts";
import { balanceOf } from "#domain/balance.ts";
import { dateUtc } from "#domain/calendar.ts";
import { partnerRoles } from "#domain/partner-access.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { int32 } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { readOwnAccount } from "#store/accounts/own-account.ts";
import type { readOwnData } from "#store/views/own-data.ts";
import { applicationRecord } from "../../member/join/join-record.ts";
import { ownCommission } from "../commissions/own-commission.ts";
import { ownCouponRecord } from "#api/coupons.ts";
import type { InPartner } from "../guards.ts";
import { ownLink, ownLinks } from "../links/own-link.ts";
import { OwnBalance } from "../overview/overview-reply.ts";
import { ownPayout } from "../payouts/own-payout.ts";
import { OwnStatement } from "../statement/own-statement.ts";

const partner = record(undefined, {
  name: z.string(),
  email: z.string().nullable(),
  status: z.enum(activeStatuses),
  createdAt: instant(),
});

const visit = { device: z.string().nullable(), place: z.string().nullable() };

const OwnAccount = z
  .object({
    name: z.string(),
    email: z.string(),
    twoFactor: z.boolean(),
    createdAt: z.iso.datetime(),
    sessions: z.array(z.object({ createdAt: z.iso.datetime(), lastUsedOn: z.iso.date(), ...visit })),
    activity: z
      .array(z.object({ at: z.iso.datetime(), action: z.enum(accountActions), ...visit }))
      .describe("Newest first."),
  })
  .openapi("OwnAccount");

const ownApplication = applicationRecord.omit("id", "accountId", "partnerId");

export const acceptedTermsRecord = record("OwnAcceptedTerms", {
  version: int32(),
  text: z.string(),
  acceptedAt: instant(),
});

const access = record(undefined, {
  role: z.enum(partnerRoles),
  since: from("createdAt", instant()),
  email: z.string().nullable().describe("Of your own account. Null for others."),
});

const ofAccount = "Null for owners who look.";

export const OwnData = z
  .object({
    exportedAt: z.iso.datetime(),
    programName: z.string(),
    partner: partner.schema,
    payment: PaymentSummary.nullable().describe("Null: paid by the email address. Null for owners who look."),
    codes: z.array(ownLink.schema),
    access: z.array(access.schema).describe("Accounts that see the partner's side, oldest access first."),
    account: OwnAccount.nullable().describe(`That you are signed in with. ${ofAccount}`),
    application: ownApplication.schema.nullable().describe(`Of your account, if it has applied. ${ofAccount}`),
    balances: z.array(OwnBalance).describe("One for each currency."),
    acceptedTerms: z.array(acceptedTermsRecord.schema).describe("That your account has accepted, newest first."),
    statements: z.array(OwnStatement).describe("All entries of each currency."),
    coupons: z.array(ownCouponRecord.schema).describe("Newest first."),
    payouts: z.array(ownPayout.schema).describe("Newest first."),
    commissions: z.array(ownCommission.schema).describe("Newest first."),
  })
  .openapi("OwnData");

/** All but the lists that grow, which follow it page by page. */
export type OwnDataHead = Omit<
  z.output<typeof OwnData>,
  "acceptedTerms" | "statements" | "coupons" | "payouts" | "commissions"
>;

type AtProgram = Awaited<ReturnType<typeof readOwnData>>;
type AtHome = Awaited<ReturnType<typeof readOwnAccount>>;

interface Found extends AtProgram {
  readonly partner: NonNullable<AtProgram["partner"]>;
  /** Undefined for owners who look. */
  readonly own: AtHome | undefined;
}

export function ownDataHead({ accountId, partner: { programName } }: InPartner, found: Found, at: number): OwnDataHead {
  const { links, accounts, balances, application, payment, own } = found;
  const email = own === undefined ? null : found.partner.email;
  const emailOf = (id: string) => (id === accountId ? (own?.user?.email ?? null) : null);
  return {
    exportedAt: timestamp(at),
    programName,
    partner: partner.reply({ ...found.partner, email }),
    payment: own === undefined ? null : paymentSummary(payment),
    codes: ownLinks(links, found.partner).map(ownLink.reply),
    access: accounts.map((each) => access.reply({ ...each, email: emailOf(each.accountId) })),
    account: own === undefined ? null : accountReply(own),
    application: own === undefined || application === undefined ? null : ownApplication.reply(application),
    balances: balances.map(({ currency, ...sums }) => ({ currency, ...balanceOf(sums) })),
  };
}

function accountReply({ user, sessions, events }: AtHome): OwnDataHead["account"] {
  if (user === undefined) return null;
  return {
    ...{ name: user.name, email: user.email, twoFactor: user.twoFactor },
    createdAt: timestamp(user.createdAt.getTime()),
    sessions: sessions.map(({ device, place, createdAt, updatedAt }) => ({
      ...{ createdAt: timestamp(createdAt.getTime()), lastUsedOn: dateUtc(updatedAt.getTime()), device, place },
    })),
    activity: events.map(({ createdAt, action, device, place }) => ({
      ...{ at: timestamp(createdAt), action, device, place },
    })),
  };
}
