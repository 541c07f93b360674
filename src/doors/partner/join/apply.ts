import { verifiesAddresses } from "#api/address-link.ts";
import { mailRow, sendMails, sendsMail } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { applicationStatuses, maxAnswer } from "#domain/join-page.ts";
import { applicationApproved, applicationReceived } from "#domain/mail/letters.ts";
import type { Letter, MailTemplate } from "#domain/mail/mail.ts";
import { ok, type Result } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  created,
  createRoute,
  endpoint,
  invalidField,
  returns,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { shardOfProgram } from "#http/places.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { ApplyCall, Opening } from "#operations/join/apply.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import { findAccount } from "#store/accounts/users.ts";
import { actorOf } from "../../member/actor.ts";
import { countApplication } from "../../member/auth/limits.ts";
import { inputRefusals, sessionWriteRefusals, signedInCounted } from "../../member/guards.ts";
import { callWithFreeCode, codesFromName } from "../../member/join/free-code.ts";
import { longText, readQuestions } from "../../member/join/join-record.ts";
import { JoinPath } from "../params.ts";
import { readJoinPage } from "./read-join-page.ts";

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

/** What the account's address is for: mails to it, if the service sends any, and the partner that an open page makes. */
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
      "One application for each account: sent again, it returns the first. At an open page it is approved at once. Where the service sends mail, the address of the account must be verified.",
    ...withJsonBody(signedInCounted(countApplication)),
    request: { params: JoinPath, body: body(NewApplication) },
    responses: {
      ...created("Received", z.object({ data: Applied })),
      ...returns("The account has applied before", z.object({ data: Applied })),
      ...refusals([
        ...([...sessionWriteRefusals, ...inputRefusals, "not_found"] as const),
        ...(["member_of_workspace", "declined", "email_unverified", "terms_changed", "join_full"] as const),
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
    const missing = questions.find(({ id, required }) => required && !/\S/.test(answerTo(id)));
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
