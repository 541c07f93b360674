import { accountActions } from "#domain/account-event.ts";
import { balanceOf } from "#domain/balance.ts";
import { dateUtc } from "#domain/calendar.ts";
import { partnerRoles } from "#domain/partner-access.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { ok } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { jsonItems, openJson } from "#http/json-parts.ts";
import { cutPage } from "#http/schema/cursor.ts";
import { int32 } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { readOwnAccount } from "#store/accounts/own-account.ts";
import { listAcceptedTerms, type readOwnData } from "#store/views/own-data.ts";
import { pagesFrom } from "./all-pages.ts";
import type { InPartner } from "./caller.ts";
import { ownCouponRecord, readOwnCoupons } from "./coupons.ts";
import { applicationRecord } from "./join.ts";
import { ownClaim, type Position, readOwnClaims } from "./own-claims.ts";
import { ownCommission, readOwnCommissions } from "./own-commissions.ts";
import { ownLink, ownLinks } from "./own-links.ts";
import { OwnBalance } from "./own-overview.ts";
import { ownPayout, readOwnPayouts } from "./own-payouts.ts";
import { OwnPayment, ownPayment } from "./payment-details.ts";
import { readFromDatabase } from "./read-database.ts";
import { Statement, statementJson } from "./statement-record.ts";
import { readStatement } from "./statements.ts";

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
      .describe("Sign-ins and changes of the account, newest first."),
  })
  .openapi("OwnAccount");

const ownApplication = applicationRecord.omit("id", "accountId", "partnerId");

const acceptedTermsRecord = record("OwnAcceptedTerms", {
  version: int32(),
  text: z.string(),
  acceptedAt: instant(),
});

const access = record(undefined, {
  role: z.enum(partnerRoles),
  since: from("createdAt", instant()),
  email: z.string().nullable().describe("Email address of your own account. Null for others."),
});

const ofAccount = "Null if an owner is viewing.";

export const OwnData = z
  .object({
    exportedAt: z.iso.datetime(),
    programName: z.string(),
    partner: partner.schema,
    payment: OwnPayment.nullable().describe(
      "Your payment details. Null if you are paid by the email address, or if an owner is viewing.",
    ),
    codes: z.array(ownLink.schema),
    access: z.array(access.schema).describe("Accounts with access to the partner, oldest access first."),
    account: OwnAccount.nullable().describe(`Account that you are signed in with. ${ofAccount}`),
    application: ownApplication.schema
      .nullable()
      .describe(`Your account's application, if it has applied. ${ofAccount}`),
    balances: z.array(OwnBalance).describe("One balance for each currency."),
    acceptedTerms: z.array(acceptedTermsRecord.schema).describe("Terms that your account has accepted, newest first."),
    statements: z.array(Statement).describe("One statement for each currency, with all entries."),
    coupons: z.array(ownCouponRecord.schema).describe("Coupons, newest first."),
    payouts: z.array(ownPayout.schema).describe("Payouts, newest first."),
    claims: z.array(ownClaim.schema).describe("Sales reported as missing, newest first."),
    commissions: z.array(ownCommission.schema).describe("Commissions, newest first."),
  })
  .openapi("OwnData");

/** Everything except the lists of unlimited length, which follow page by page in the download. */
type OwnDataHead = Omit<
  z.output<typeof OwnData>,
  "acceptedTerms" | "statements" | "coupons" | "payouts" | "claims" | "commissions"
>;

type AtProgram = Awaited<ReturnType<typeof readOwnData>>;
type AtHome = Awaited<ReturnType<typeof readOwnAccount>>;

interface Found extends AtProgram {
  readonly partner: NonNullable<AtProgram["partner"]>;
  /** Undefined if an owner views the partner's pages. */
  readonly own: AtHome | undefined;
}

export async function ownDataHead(
  c: Pick<Ctx, "env">,
  { accountId, partner: { programName } }: InPartner,
  found: Found,
  at: number,
): Promise<OwnDataHead> {
  const { links, accounts, balances, application, payment, own } = found;
  const email = own === undefined ? null : found.partner.email;
  const emailOf = (id: string) => (id === accountId ? (own?.user?.email ?? null) : null);
  return {
    exportedAt: timestamp(at),
    programName,
    partner: partner.reply({ ...found.partner, email }),
    payment: own === undefined ? null : await ownPayment(c, payment, accountId),
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
    name: user.name,
    email: user.email,
    twoFactor: user.twoFactor,
    createdAt: timestamp(user.createdAt.getTime()),
    sessions: sessions.map(({ device, place, createdAt, updatedAt }) => ({
      createdAt: timestamp(createdAt.getTime()),
      lastUsedOn: dateUtc(updatedAt.getTime()),
      device,
      place,
    })),
    activity: events.map(({ createdAt, action, device, place }) => ({
      at: timestamp(createdAt),
      action,
      device,
      place,
    })),
  };
}

const pageSizes = { terms: 20, coupons: 500, payouts: 500, claims: 500, commissions: 500 };

/** Yields the file's JSON in parts. Reads a page of a list only after the previous page is written. */
export async function* ownDataJson(c: Ctx, of: InPartner, head: OwnDataHead): AsyncGenerator<string, undefined> {
  const lists = {
    acceptedTerms: jsonItems(acceptedTerms(c, of)),
    statements: statements(c, of, head),
    coupons: jsonItems(coupons(c, of.partner)),
    payouts: jsonItems(payouts(c, of.partner)),
    claims: jsonItems(claims(c, of.partner)),
    commissions: jsonItems(commissions(c, of.partner)),
  };
  yield `{"data":${openJson(head)}`;
  for (const [name, items] of Object.entries(lists)) {
    yield `,"${name}":[`;
    yield* items;
    yield "]";
  }
  yield "}}";
}

type Pages = AsyncGenerator<readonly object[], undefined>;

async function* acceptedTerms(c: Ctx, { accountId, partner: { programId, partnerId } }: InPartner): Pages {
  const asked = { programId, partnerId, accountId };
  const size = pageSizes.terms;
  const read = async (before: number | undefined) => {
    const position = { before: before ?? Number.MAX_SAFE_INTEGER, limit: size + 1 };
    const found = await readFromDatabase(c, "program", (database) => listAcceptedTerms(database, asked, position));
    if (!found.ok) return found;
    const { page, last } = cutPage(found.value, size);
    return ok({ page, next: last?.version });
  };
  for await (const { page } of pagesFrom(read)) yield page.map(acceptedTermsRecord.reply);
}

async function* statements(
  c: Ctx,
  { accountId, role, partner }: InPartner,
  { balances }: OwnDataHead,
): AsyncGenerator<string, undefined> {
  const sees = (setBy: string) => role !== "owner" && setBy === accountId;
  let separator = "";
  for (const { currency } of balances) {
    const read = await readStatement(c, { ...partner, sees }, { currency });
    if (!read.ok) throw new Error("a statement in the middle of a file could not be read");
    yield separator;
    yield* statementJson(read.value.head, read.value.pages);
    separator = ",";
  }
}

async function* coupons(c: Ctx, { programId, partnerId }: InPartner["partner"]): Pages {
  const size = pageSizes.coupons;
  const read = (after: string | undefined) => readOwnCoupons(c, { programId, partnerId, after }, size);
  for await (const { page } of pagesFrom(read)) yield page.map(ownCouponRecord.reply);
}

async function* payouts(c: Ctx, { programId, partnerId }: InPartner["partner"]): Pages {
  const size = pageSizes.payouts;
  const read = (after: string | undefined) => readOwnPayouts(c, { programId, partnerId, after }, size);
  for await (const { page } of pagesFrom(read)) yield page.map(ownPayout.reply);
}

async function* claims(c: Ctx, partner: InPartner["partner"]): Pages {
  const read = (after: Position) => readOwnClaims(c, partner, after, pageSizes.claims);
  for await (const { page } of pagesFrom(read)) yield page;
}

async function* commissions(c: Ctx, partner: InPartner["partner"]): Pages {
  const all = { status: undefined, sub: undefined, days: undefined };
  const read = (before: number | undefined) =>
    readOwnCommissions(c, partner, all, { before, size: pageSizes.commissions });
  for await (const { page } of pagesFrom(read)) yield page.map(ownCommission.reply);
}
