import { readFromDatabase } from "#api/read-database.ts";
import { ok } from "#domain/result.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { jsonItems, openJson } from "#http/json-parts.ts";
import { cutPage } from "#http/schema/cursor.ts";
import { listAcceptedTerms } from "#store/views/own-data.ts";
import { pagesFrom } from "../../member/all-pages.ts";
import { readStatement } from "../../member/statements/read-statement.ts";
import { statementJson } from "../../member/statements/write-statement.ts";
import { ownCommission } from "../commissions/own-commission.ts";
import { readOwnCommissions } from "../commissions/read-own-commissions.ts";
import { ownCouponRecord, readOwnCoupons } from "#api/coupons.ts";
import type { InPartner } from "../guards.ts";
import { ownPayout, readOwnPayouts } from "../payouts/own-payout.ts";
import { ownEntries } from "../statement/own-statement.ts";
import { acceptedTermsRecord, type OwnDataHead } from "./own-data.ts";

const pageSizes = { terms: 20, coupons: 500, payouts: 500, commissions: 500 };

/** Reads each page only once the one before is written. */
export async function* ownDataJson(c: Ctx, of: InPartner, head: OwnDataHead): AsyncGenerator<string, undefined> {
  const lists = {
    acceptedTerms: jsonItems(acceptedTerms(c, of)),
    statements: statements(c, of.partner, head),
    coupons: jsonItems(coupons(c, of.partner)),
    payouts: jsonItems(payouts(c, of.partner)),
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
  { programId, partnerId, timezone }: InPartner["partner"],
  { balances }: OwnDataHead,
): AsyncGenerator<string, undefined> {
  const encode = ownEntries(refsOfProgram(c, programId), c.get("call").at);
  const always = { from: undefined, to: undefined };
  let separator = "";
  for (const { currency } of balances) {
    const account = { programId, partnerId, currency };
    const read = await readStatement(c, { account, timezone }, always, encode);
    if (!read.ok) throw new Error("a statement in the middle of a file could not be read");
    yield separator;
    yield* statementJson(read.value.head, read.value.pages);
    separator = ",";
  }
}

async function* coupons(c: Ctx, { programId, partnerId }: InPartner["partner"]): Pages {
  const size = pageSizes.coupons;
  const read = (after: string | undefined) => readOwnCoupons(c, { programId, partnerId, after: after ?? null }, size);
  for await (const { page } of pagesFrom(read)) yield page.map(ownCouponRecord.reply);
}

async function* payouts(c: Ctx, { programId, partnerId }: InPartner["partner"]): Pages {
  const size = pageSizes.payouts;
  const read = (after: string | undefined) => readOwnPayouts(c, { programId, partnerId, after: after ?? null }, size);
  for await (const { page } of pagesFrom(read)) yield page.map(ownPayout.reply);
}

async function* commissions(c: Ctx, partner: InPartner["partner"]): Pages {
  const all = { status: undefined, sub: undefined, days: undefined };
  const read = (before: number | undefined) =>
    readOwnCommissions(c, partner, all, { before, size: pageSizes.commissions });
  for await (const { page } of pagesFrom(read)) yield page.map(ownCommission.reply);
}
