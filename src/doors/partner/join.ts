import { countApplication, countInvitationView } from "#api/account-limits.ts";
import { verifiesAddresses } from "#api/address-link.ts";
import {
  callWithFreeCode,
  codesFromName,
  longText,
  Question,
  readJoinPage,
  readQuestions,
  Terms,
  termsReply,
} from "#api/join.ts";
import { mailRow, sendMails, sendsMail } from "#api/mail.ts";
import { NextStep } from "#api/next-step.ts";
import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { effectiveTiers } from "#domain/effective-rules.ts";
import { termsText } from "#domain/explain/terms-text.ts";
import { applicationStatuses, appliesAgainAt, maxAnswer } from "#domain/join-page.ts";
import { applicationApproved, applicationReceived } from "#domain/mail/letters.ts";
import type { Letter, MailTemplate } from "#domain/mail/mail.ts";
import { ok, type Result } from "#domain/result.ts";
import { nextStep } from "#domain/tiers.ts";
import { isVisible } from "#domain/visible-text.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  created,
  createRoute,
  endpoint,
  invalidField,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import { shardOfProgram } from "#http/places.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { ApplyCall, Opening } from "#operations/join/apply.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import { findAccount } from "#store/accounts/users.ts";
import { readOwnApplication } from "#store/views/join-pages.ts";
import { actorOf } from "../member/actor.ts";
import { inputRefusals, sessionRefusals, sessionWriteRefusals, signedIn, signedInCounted } from "../member/guards.ts";
import { JoinPath } from "./params.ts";

const ShownPage = z
  .object({
    name: z.string().describe("Name of the program."),
    website: z.string().nullable(),
    currency: z.string().describe("Currency of the program."),
    headline: z.string(),
    description: z.string(),
    questions: z.array(Question),
    terms: Terms.nullable(),
    isOpen: z.boolean().describe("True if applicants become partners at once, up to 200 a day."),
    commission: z
      .string()
      .nullable()
      .describe("Commission and the program's bonuses, as text. Null if sales currently earn nothing."),
    next: NextStep,
  })
  .openapi("ShownJoinPage");

export const getJoinPage = endpoint({
  route: createRoute({
    method: "get",
    path: "/{slug}",
    operationId: "getJoinPage",
    tags: ["Join"],
    summary: "See a program's join page",
    description: "Requires no session.",
    security: [],
    request: { params: JoinPath },
    responses: {
      ...returns("The page", z.object({ data: ShownPage })),
      ...refusals(["not_found", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const overLimit = await countInvitationView(c);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const found = await readJoinPage(c, c.req.valid("param").slug);
    if (!found.ok) return refuse(c, found.refusal);
    const { program, page, terms, deciding, bonuses } = found.value;
    const tiers = deciding && effectiveTiers(deciding);
    const data = {
      name: program.name,
      website: program.websiteUrl,
      currency: program.currency,
      headline: page.headline,
      description: page.description,
      questions: readQuestions(page.questions),
      terms: terms === undefined ? null : termsReply(terms),
      isOpen: page.mode === "open",
      commission: deciding === undefined ? null : termsText(deciding, bonuses),
      next: tiers ? nextStep(tiers, 0) : null,
    };
    return c.json({ data }, 200);
  },
});

const NewApplication = z
  .object({
    name: fields.nonBlank("name"),
    website: fields.optional(fields.webUrl("website")),
    answers: z.record(z.string(), longText("answers", maxAnswer), "answers must be an object of texts").default({}),
    termsVersion: fields.optional(fields.integer("termsVersion", 1, 1_000_000)),
  })
  .openapi("NewApplication");

const Applied = z
  .object({ status: z.enum(applicationStatuses), programId: id(), partnerId: id().nullable() })
  .openapi("Applied");

type Of = Pick<
  Extract<Awaited<ReturnType<typeof readJoinPage>>, { ok: true }>["value"],
  "programId" | "program" | "page"
>;

/**
 * Returns the account's email address. It is needed for mails, if the service sends any, and for a partner that an open
 * page creates.
 */
async function addressOf(
  c: Ctx,
  { programId, program, page }: Of,
  accountId: string,
): Promise<Result<Pick<ApplyCall, "mail" | "isUnverified"> & { readonly opening?: Omit<Opening, "code"> }>> {
  if (!sendsMail(c) && page.mode !== "open") return ok({});
  const account = await readFromDatabase(c, "home", (database) => findAccount(database, accountId));
  if (!account.ok) return account;
  if (account.value === undefined) return ok({});
  const { email, emailVerified } = account.value;
  const isUnverified = verifiesAddresses(c) && !emailVerified;
  const about = { programName: program.name, origin: originOf(c) };
  const mailTo = (template: MailTemplate, letter: Letter) =>
    mailRow(c, { template, programId, mail: { to: email, ...letter } });
  const mail = await mailTo("application_received", applicationReceived(about));
  if (page.mode !== "open") return ok({ mail, isUnverified });
  const approvedMail = await mailTo("application_approved", applicationApproved(about));
  const day = dayIn(program.timezone, c.get("call").at);
  return ok({ mail, isUnverified, opening: { email, day, mail: approvedMail } });
}

export const apply = endpoint({
  route: createRoute({
    method: "post",
    path: "/{slug}",
    operationId: "applyToProgram",
    tags: ["Join"],
    summary: "Apply to become a partner",
    description:
      "One application for each account: a repeat returns the first one. An open page approves it at once. If the service sends mail, the address of the account must be verified.",
    ...withJsonBody(signedInCounted(countApplication)),
    request: { params: JoinPath, body: body(NewApplication) },
    responses: {
      ...created("Received", z.object({ data: Applied })),
      ...returns("The account has applied before", z.object({ data: Applied })),
      ...refusals([
        ...sessionWriteRefusals,
        ...inputRefusals,
        "not_found",
        "member_of_workspace",
        "declined",
        "email_unverified",
        "terms_changed",
        "join_full",
      ]),
    },
  }),
  handler: async (c) => {
    const { slug } = c.req.valid("param");
    const accountId = c.get("userId");
    const found = await readJoinPage(c, slug);
    if (!found.ok) return refuse(c, found.refusal);
    const { programId, page } = found.value;
    const { answers: given, ...body } = c.req.valid("json");
    const questions = readQuestions(page.questions);
    const answerTo = (id: string) => (Object.hasOwn(given, id) ? (given[id] ?? "") : "");
    const missing = questions.find(({ id, required }) => required && !isVisible(answerTo(id)));
    if (missing !== undefined) return refuse(c, invalidField(`answers.${missing.id}`, "An answer is missing"));
    const answers = Object.fromEntries(
      questions.flatMap(({ id }) => (answerTo(id) === "" ? [] : [[id, answerTo(id)]])),
    );
    const members = await readFromDatabase(c, "home", (database) =>
      findProgramMembers(database, programId, [accountId]),
    );
    if (!members.ok) return refuse(c, members.refusal);
    const address = await addressOf(c, found.value, accountId);
    if (!address.ok) return refuse(c, address.refusal);
    const { opening, ...known } = address.value;
    const isMember = members.value.has(accountId);
    const application = { slug, ...body, answers: JSON.stringify(answers), ...known, isMember };
    const call = { ...actorOf(c), kind: "apply", programId, ...application } as const;
    const applied =
      opening === undefined
        ? await runOperation(c, call)
        : await callWithFreeCode(
            c,
            { id: programId, shard: shardOfProgram(c.env, programId) },
            codesFromName(body.name),
            {
              call: (code) => ({ ...call, opening: { ...opening, code } }),
              corrects: ({ isNew, partnerId }) => !isNew || partnerId === null,
            },
          );
    if (!applied.ok) return refuse(c, applied.refusal);
    const { isNew, status, partnerId } = applied.answer;
    if (isNew) sendMails(c, "program");
    if (partnerId !== null) {
      const entry = { accountId, programId, partnerId, enteredAt: c.get("call").at };
      await readFromDatabase(c, "home", (database) => enterAccountPartners(database, [entry]));
    }
    return c.json({ data: { status, programId, partnerId } }, isNew ? 201 : 200);
  },
});

const OwnApplication = z
  .object({
    status: z.enum(applicationStatuses),
    programId: id(),
    partnerId: id().nullable().describe("The partner created by an approved application."),
    partnerNote: z.string().nullable().describe("Note from the program about a declined application."),
    isOpened: z.boolean().describe("True if the open page approved it."),
    canApplyAgainAt: z.iso.datetime().nullable().describe("Time from which a declined account can apply again."),
  })
  .openapi("OwnApplication");

export const getApplication = endpoint({
  route: createRoute({
    method: "get",
    path: "/{slug}/application",
    operationId: "getOwnApplication",
    tags: ["Join"],
    summary: "Get your application",
    description: "Returns your account's application. Null if your account hasn't applied.",
    ...signedIn(),
    request: { params: JoinPath },
    responses: {
      ...returns("Your application", z.object({ data: OwnApplication.nullable() })),
      ...refusals(["not_found", "oidc_required", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const accountId = c.get("userId");
    const page = await readJoinPage(c, c.req.valid("param").slug);
    if (!page.ok) return refuse(c, page.refusal);
    const { programId } = page.value;
    const found = await readFromShards(c, (databaseOf) =>
      readOwnApplication(databaseOf, { programId, accountId }, shardOfProgram(c.env, programId)),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return c.json({ data: null }, 200);
    const { status, partnerId, partnerNote, decidedAt, openedOn } = found.value;
    const canApplyAgainAt = status === "declined" ? timestamp(appliesAgainAt(decidedAt ?? 0)) : null;
    const isOpened = openedOn !== null;
    return c.json({ data: { status, programId, partnerId, partnerNote, isOpened, canApplyAgainAt } }, 200);
  },
});
