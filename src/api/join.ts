import type { Policy } from "#domain/commission.ts";
import type { BonusWithUnit } from "#domain/explain/bonus-text.ts";
import type { ProgramId } from "#domain/ids.ts";
import {
  type Answers,
  applicationStatuses,
  codeFromName,
  isShownIn,
  type JoinQuestion,
  joinModes,
  maxQuestions,
  slugForm,
} from "#domain/join-page.ts";
import { programStatus } from "#domain/program-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { shardOfProgram } from "#http/places.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32 } from "#http/schema/integers.ts";
import { encoded, instant, instantOrNull, record } from "#http/schema/record.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import type { Outcome } from "#operations/operation.ts";
import type { AnswerTo, AnyCall } from "#operations/table.ts";
import { findSlug } from "#store/accounts/join-slugs.ts";
import type { TermsRow } from "#store/join-pages.ts";
import { readJoinPage as read } from "#store/views/join-pages.ts";
import { callWithDirectory, type PlacedProgram } from "./directory.ts";
import { readFromDatabase, readFromShards } from "./read-database.ts";

const slugRule = "slug must be 3 to 40 lower-case letters, digits or dashes";
const questionsRule = `questions must be an array of at most ${maxQuestions}, each with a different id`;

/** A text that may be empty and may have line breaks. */
export const longText = (field: string, max: number, min = 0) => {
  const message = `${field} must be a string of ${min} to ${max} characters, without control characters`;
  return z
    .string(message)
    .min(min, message)
    .max(max, message)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text.replaceAll(/[\n\r\t]/g, "")), message);
};

export const Question = z
  .object({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,39}$/, "id must be 1 to 40 lower-case letters, digits or _, a letter first")
      .openapi({ example: "website" }),
    label: fields.nonBlank("label", 200),
    required: fields.flag("required").default(false),
  })
  .openapi("JoinQuestion");

export const JoinPage = z
  .object({
    mode: fields
      .oneOf("mode", joinModes)
      .describe(
        "`closed`: the address responds as if there were no page. `approval`: you decide on each application. `open`: applicants become partners at once, up to 200 a day; requires `leadAuth` `server_required` in the program, and the signal `self_referral` on `hold`.",
      ),
    slug: z
      .string(slugRule)
      .regex(slugForm, slugRule)
      .describe("End of the page's address, which is `/partner/#/join/<slug>`."),
    headline: longText("headline", 120),
    description: longText("description", 4_000),
    questions: z
      .array(Question, questionsRule)
      .max(maxQuestions, questionsRule)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, questionsRule),
    groupId: fields
      .programId("groupId")
      .nullable()
      .default(null)
      .describe(
        "Group of the partners created by the page. The member who approves an application can choose another.",
      ),
  })
  .openapi("JoinPage");

export const Terms = z
  .object({ version: int32(), text: z.string(), createdAt: z.iso.datetime() })
  .openapi("PartnerTerms");

export const termsReply = ({ version, text, createdAt }: TermsRow): z.output<typeof Terms> => ({
  version,
  text,
  createdAt: timestamp(createdAt ?? 0),
});

export const readQuestions = (json: string): JoinQuestion[] => JSON.parse(json) as JoinQuestion[];

export const applicationRecord = record("Application", {
  id: id(),
  accountId: z.string(),
  name: z.string(),
  website: z.string().nullable(),
  answers: encoded(z.record(z.string(), z.string()), (json: string) => JSON.parse(json) as Answers),
  termsVersion: int32().nullable().describe("Version of the terms that were accepted. Null if there were none."),
  status: z.enum(applicationStatuses),
  partnerId: id().nullable().describe("The partner created by an approved application."),
  partnerNote: z.string().nullable(),
  decidedAt: instantOrNull(),
  openedOn: z.iso
    .date()
    .nullable()
    .describe(
      "Day, in the program's time zone, on which the open page approved the application. Null if it wasn't approved, or if a member approved it.",
    ),
  createdAt: instant(),
});

/** Codes to try for a new partner: one made from the name, then with a number, then with a random ending. */
export const codesFromName = (name: string): readonly [string, ...string[]] => {
  const unique = randomSecret()
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(0, 8);
  return [codeFromName(name, ""), ...["2", "3", unique].map((ending) => codeFromName(name, ending))];
};

type CodedCall = Extract<AnyCall, { readonly kind: "apply" | "decide-application" | "create-embedded-link" }>;

/** Calls the Ledger with one code after another, until one isn't taken. */
export async function callWithFreeCode<Call extends CodedCall>(
  c: Ctx,
  program: PlacedProgram,
  codes: readonly [string, ...string[]],
  { call, corrects }: { readonly call: (code: string) => Call; corrects?(answer: AnswerTo<Call>): boolean },
): Promise<Outcome<AnswerTo<Call>>> {
  const [code, ...others] = codes;
  const outcome = await callWithDirectory(c, program, call(code), {
    adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl: null, is: "new" }] },
    ...(corrects && { corrects }),
  });
  const [next, ...rest] = others;
  return outcome.ok || outcome.refusal.code !== "code_taken" || next === undefined
    ? outcome
    : callWithFreeCode(c, program, [next, ...rest], { call, ...(corrects && { corrects }) });
}

type Found = Awaited<ReturnType<typeof read>>;
type Page = Pick<Found, "terms"> & {
  readonly programId: ProgramId;
  readonly program: NonNullable<Found["program"]>;
  readonly page: NonNullable<Found["page"]>;
  /** The policy that would decide a new partner's sales. */
  readonly deciding: Policy | undefined;
  /** The program's bonuses for the current period. */
  readonly bonuses: readonly BonusWithUnit[];
};

/** Returns the same refusal for a closed page, an inactive program and an unknown slug. */
export async function readJoinPage(c: Ctx, slug: string): Promise<Result<Page>> {
  const known = await readFromDatabase(c, "home", (database) => findSlug(database, slug));
  if (!known.ok) return known;
  const programId = known.value;
  if (programId === undefined) return refused(notFound("page"));
  const asked = { programId, at: c.get("call").at };
  const found = await readFromShards(c, (databaseOf) => read(databaseOf, asked, shardOfProgram(c.env, programId)));
  if (!found.ok) return found;
  const { program, page, terms, policy, policyOfPage, bonuses } = found.value;
  const isShown =
    program !== undefined && programStatus(program) === "active" && page !== undefined && isShownIn(page.mode);
  if (!isShown || page.slug !== slug) return refused(notFound("page"));
  const deciding = policyOfPage === undefined || policyOfPage.type === "none" ? policy : policyOfPage;
  return ok({ programId, program, page, terms, deciding, bonuses: bonuses?.bonuses ?? [] });
}
