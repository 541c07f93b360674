import type { ProgramId } from "#domain/ids.ts";
import { applicationStatuses, maxAnswer } from "#domain/join-page.ts";
import { applicationReceived } from "#domain/mail/letters.ts";
import { ok as good, type Result } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  created,
  createRoute,
  endpoint,
  invalidField,
  ok,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { ApplyCall } from "#operations/join/apply.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { findAccount } from "#store/accounts/users.ts";
import { verifiesAddresses } from "../../address-link.ts";
import { mailRow, sendMails, sendsMail } from "../../mail.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actorOf } from "../../session/actor.ts";
import { countApplication } from "../../session/auth/limits.ts";
import { inputRefusals, sessionWriteRefusals, signedInCounted } from "../../session/guards.ts";
import { longText, readQuestions } from "../../session/join/join-record.ts";
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
  .object({ status: z.enum(applicationStatuses), programId: z.int(), partnerId: z.int().nullable() })
  .openapi("Applied");

/** The mail to the applicant, if the service sends any: then only a verified address applies. */
async function addressOf(
  c: Ctx,
  of: { readonly programId: ProgramId; readonly programName: string; readonly accountId: string },
): Promise<Result<Pick<ApplyCall, "mail" | "isUnverified">>> {
  const nothing = { mail: undefined, isUnverified: false };
  if (!sendsMail(c)) return good(nothing);
  const { programId, programName, accountId } = of;
  const account = await readFromDatabase(c, "home", (database) => findAccount(database, accountId));
  if (!account.ok) return account;
  if (account.value === undefined) return good(nothing);
  const { email: to, emailVerified } = account.value;
  const letter = applicationReceived({ programName, origin: originOf(c) });
  const mail = await mailRow(c, { template: "application_received", programId, mail: { to, ...letter } });
  return good({ mail, isUnverified: verifiesAddresses(c) && !emailVerified });
}

export const apply = endpoint({
  route: createRoute({
    method: "post",
    path: "/{slug}",
    operationId: "applyToProgram",
    tags: ["Join"],
    summary: "Apply to become a partner",
    description:
      "One application for each account: sent again, it returns the first. Where the service sends mail, the address of the account must be verified.",
    ...withJsonBody(signedInCounted(countApplication)),
    request: { params: JoinPath, body: body(NewApplication) },
    responses: {
      ...created("Received", z.object({ data: Applied })),
      ...ok("The account has applied before", z.object({ data: Applied })),
      ...refusals([
        ...([...sessionWriteRefusals, ...inputRefusals, "not_found"] as const),
        ...(["declined", "email_unverified", "terms_changed", "join_full"] as const),
      ]),
    },
  }),
  handler: async (c) => {
    const { slug } = c.req.valid("param");
    const accountId = c.get("userId");
    const found = await readJoinPage(c, slug);
    if (!found.ok) return refuse(c, found.refusal);
    const { programId, program, page } = found.value;
    const { answers: given, ...body } = c.req.valid("json");
    const questions = readQuestions(page.questions);
    const answerTo = (id: string) => (Object.hasOwn(given, id) ? (given[id] ?? "") : "");
    const missing = questions.find(({ id, required }) => required && !/\S/.test(answerTo(id)));
    if (missing !== undefined) return refuse(c, invalidField(`answers.${missing.id}`, "An answer is missing"));
    const answers = Object.fromEntries(
      questions.flatMap(({ id }) => (answerTo(id) === "" ? [] : [[id, answerTo(id)]])),
    );
    const address = await addressOf(c, { programId, programName: program.name, accountId });
    if (!address.ok) return refuse(c, address.refusal);
    const application = { slug, ...body, answers: JSON.stringify(answers), ...address.value };
    const call = { ...actorOf(c), kind: "apply", programId, ...application } as const;
    const applied = await callLedger(c, call, (ledger) => ledger.run(call));
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
