import { exportRequested, exportRequestId, PersonRow, personFile } from "#api/persons.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { normalizeEmail } from "#domain/email.ts";
import { emailDigest, emailHash } from "#domain/email-digest.ts";
import { erasedSubjects } from "#domain/erased-subject.ts";
import { erasedDigest } from "#domain/erasure.ts";
import type { ProgramId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { accepted, body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { refusalOfSite } from "#http/same-site.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readBatch } from "#store/database.ts";
import { writeOffsOfReceipt } from "#store/erased-partners.ts";
import { type ErasureRow, erasureById } from "#store/erasures.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PrivacyRequestPath, ProgramPath, ReceiptPath } from "./params.ts";

const Rows = z.record(z.string(), int64()).describe("Number of rows of each kind.");

const Sums = z
  .object({
    sales: z.array(
      z.object({
        currency: z.string(),
        sales: int64(),
        amountCents: int64(),
        refundedCents: int64(),
        commissionCents: int64(),
      }),
    ),
    balances: z.array(
      z.object({
        currency: z.string(),
        pendingCents: int64(),
        payableCents: int64(),
        inPayoutCents: int64(),
        paidCents: int64(),
      }),
    ),
  })
  .openapi("ErasureSums");

const receiptRecord = record("ErasureReceipt", {
  id: z.string(),
  subject: z.enum(erasedSubjects),
  requestedAt: instant(),
  erasedAt: instantOrNull("Time at which the erasure ended. Null while it is running."),
  rows: Rows,
  before: Sums.describe(
    "Sums of the customer's sales and of all the program's balances before the erasure. If a partner was erased, a debt is already written off in these sums.",
  ),
  after: Sums.nullable(),
  writeOffs: z
    .array(z.object({ currency: z.string(), amountCents: int64() }))
    .describe("Adjustments that brought a negative balance of the partner to 0."),
});

export const Requested = z
  .object({ requestId: z.string().describe("Id of the request. `…/privacy/requests/{requestId}` returns its state.") })
  .openapi("PrivacyRequested");

const EraseRequest = z
  .object({
    state: z.enum(["running", "done"]),
    receiptId: z.string(),
    erasedAt: z.iso.datetime().nullable(),
    rows: Rows.describe("Number of rows of each kind so far."),
  })
  .openapi("EraseRequest");

export const Erased = z.object({ receiptId: z.string(), erasedAt: z.iso.datetime(), rows: Rows }).openapi("Erased");

export const personRefusals = [
  "reauthenticate",
  ...memberWriteRefusals,
  ...inputRefusals,
  "person_not_found",
  "several_customers",
  "too_many_customers",
] as const;

const names = ["customerKey", "email", "clickId"] as const;

const askedBy = {
  customerKey: fields.callerId("customerKey").optional(),
  email: fields.emailAsWritten("email").optional().describe("Also matches a customer whose key is this address."),
  clickId: fields.callerId("clickId").optional(),
};

type AskedBy = { readonly [Name in (typeof names)[number]]?: string | undefined };

const exactlyOne = fields.rule(
  names,
  `Send exactly one of ${names.join(", ")}`,
  (body: AskedBy) => names.filter((name) => body[name] !== undefined).length === 1,
);

const PersonAsked = z
  .object(askedBy)
  .refine(...exactlyOne)
  .openapi("PersonAsked");
export const PersonToErase = z
  .object({ ...askedBy, confirm: z.literal(true, "confirm must be true") })
  .refine(...exactlyOne)
  .openapi("PersonToErase");

export const personMeant = (c: Ctx, programId: ProgramId, asked: AskedBy) =>
  meantBy(hashSecretOf(c.env), programId, asked);

/** Returns the identifiers for the Ledger, which compares email addresses by their digests. */
export function meantBy(secret: string, programId: ProgramId, { customerKey, email, clickId }: AskedBy) {
  const keys = [
    ...new Set(
      [customerKey, email, email?.toLowerCase(), email && normalizeEmail(email)].filter((key) => key !== undefined),
    ),
  ];
  const hash = email === undefined ? null : emailHash(secret, programId, emailDigest(secret, email));
  const asked = [...keys, hash, clickId ?? null].filter((text) => text !== null);
  const digests = asked.map((text) => erasedDigest({ programId, hashSecret: secret }, text));
  return { keys, emailHash: hash, clickId: clickId ?? null, digests: JSON.stringify(digests) };
}

export const getReceipt = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/privacy/receipts/{receiptId}",
    operationId: "getErasureReceipt",
    tags: ["Privacy"],
    summary: "Get the receipt of an erasure",
    description: "The time, the number of rows, and the sums before and after. Has no personal data.",
    ...programMember("owner"),
    request: { params: ReceiptPath },
    responses: {
      ...returns("The receipt", z.object({ data: receiptRecord.schema })),
      ...refusals([...memberRefusals]),
    },
  }),
  handler: async (c) => {
    const id = c.req.valid("param").receiptId;
    const programId = c.get("program").id;
    const found = await readFromDatabase(c, "program", (database) =>
      readBatch(database, {
        receipt: erasureById({ programId, id }),
        writeOffs: writeOffsOfReceipt({ programId, receiptId: id }),
      }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { receipt, writeOffs } = found.value;
    if (receipt === undefined) return refuse(c, notFound("receipt"));
    const { rows, before, after, ...row } = receipt;
    const parsed = {
      rows: JSON.parse(rows),
      before: JSON.parse(before),
      after: after === null ? null : JSON.parse(after),
    };
    return c.json({ data: receiptRecord.reply({ ...row, ...parsed, writeOffs }) }, 200);
  },
});

export const exportPerson = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/privacy/export",
    operationId: "exportPerson",
    tags: ["Privacy"],
    summary: "Export a customer's data",
    description:
      "Exports the data of every customer with this key, address or click, live and test. Above 1,000 rows, the response is 202 with a `requestId`, by which you can read the rows for an hour. The export is recorded in the audit trail.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(PersonAsked) },
    responses: {
      200: { description: "One row per line", content: { "application/jsonl": { schema: PersonRow } } },
      ...accepted("Too many rows for one response: read them by the `requestId`", z.object({ data: Requested })),
      ...refusals([...personRefusals, "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const member = actingMember(c);
    const { programId } = member;
    const call = { ...member, kind: "export-person", ...personMeant(c, programId, c.req.valid("json")) } as const;
    const asked = await runOperation(c, call);
    if (!asked.ok) return refuse(c, asked.refusal);
    const { isLarge } = asked.answer;
    if (isLarge) return c.json({ data: { requestId: await exportRequestId(c, call) } }, 202);
    const file = await personFile(c, asked.answer.rows, call);
    return file.ok ? file.value : refuse(c, file.refusal);
  },
});

export const getPrivacyRequest = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/privacy/requests/{requestId}",
    operationId: "getPrivacyRequest",
    tags: ["Privacy"],
    summary: "Get a privacy request",
    description:
      "For an export: the rows, for an hour and only for the owner who requested it. For an erasure: whether it is done, and its receipt.",
    ...programMember("owner"),
    request: { params: PrivacyRequestPath },
    responses: {
      200: {
        description: "The rows, one per line, or the state of the erasure",
        content: {
          "application/json": { schema: z.object({ data: EraseRequest }) },
          "application/jsonl": { schema: PersonRow },
        },
      },
      ...refusals([...memberRefusals, "person_not_found", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { requestId } = c.req.valid("param");
    const member = actingMember(c);
    const call = await exportRequested(c, member, requestId);
    if (call !== undefined) {
      const foreign = refusalOfSite(c);
      if (foreign !== undefined) return refuse(c, foreign);
      const asked = await runOperation(c, call);
      if (!asked.ok) return refuse(c, asked.refusal);
      const file = await personFile(c, asked.answer.rows, call);
      return file.ok ? file.value : refuse(c, file.refusal);
    }
    const { programId } = member;
    const found = await readFromDatabase(c, "program", (database) =>
      readBatch(database, { erasure: erasureById({ programId, id: requestId }) }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { erasure } = found.value;
    if (erasure === undefined) return refuse(c, notFound("request"));
    return c.json({ data: eraseRequestReply(erasure) }, 200);
  },
});

const eraseRequestReply = ({ id, erasedAt, rows }: ErasureRow): z.output<typeof EraseRequest> => ({
  state: erasedAt === null ? "running" : "done",
  receiptId: id,
  erasedAt: timestampOrNull(erasedAt),
  rows: JSON.parse(rows),
});
