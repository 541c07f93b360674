import { BalanceAmounts } from "#api/balances.ts";
import { NextStep, nextReply } from "#api/next-step.ts";
import {
  createPartner as createPartnerIn,
  flagsOf,
  linkRecord,
  linkReplies,
  newPartner,
  partnerChanges,
  partnerFlags,
  partnerRecord,
  partnerReply,
  placeholderOf,
  updatePartner as updatePartnerIn,
} from "#api/partners.ts";
import { PaymentSummary, paymentSummary } from "#api/payment-details.ts";
import { groupId, partnerSearch } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { readPage } from "#api/read-page.ts";
import { balanceOf } from "#domain/balance.ts";
import { notFound } from "#domain/result.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findPartnerWithBalances, listPartners as list } from "#store/views/partners.ts";
import { actingMember } from "./actor.ts";
import { seesEmails } from "./authorize.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { asNamed, PartnerPath, ProgramPath } from "./params.ts";

const NewPartner = newPartner(asNamed)
  .extend({
    groupId: fields.optional(fields.programId("groupId")).describe("Group of the new partner."),
  })
  .openapi("NewPartner");

export const createPartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners",
    operationId: "createPartner",
    tags: ["Management"],
    summary: "Create a partner",
    description: "The partner earns commissions from sales through links with their code, from the next click on.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewPartner) },
    responses: {
      ...created("Partner created", z.object({ data: partnerRecord.schema })),
      ...returns("Partner with this external id, created before", z.object({ data: partnerRecord.schema })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "differs",
        "code_taken",
        "cap_reached",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const sent = c.req.valid("json");
    const placeholder = placeholderOf(asNamed, sent);
    const create = { ...actingMember(c), kind: "create-partner", ...sent, placeholder } as const;
    const outcome = await createPartnerIn(c, c.get("program"), create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { partner, isNew } = outcome.value;
    return c.json({ data: partnerReply(partner, true) }, isNew ? 201 : 200);
  },
});

const pageSize = 200;

const cursors = idCursor("partners");

const Query = z.object({
  search: partnerSearch(),
  groupId: groupId(),
  limit: fields.integerText("limit", 1, pageSize).default(pageSize),
  cursor: cursors.parameter(),
});

const ListedPartner = partnerRecord.schema
  .extend({
    hasOwnPolicy: z.boolean().describe("True if the partner has a commission policy of their own in force."),
  })
  .openapi("ListedPartner");

export const listPartners = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners",
    operationId: "listPartners",
    tags: ["Management"],
    summary: "List a program's partners",
    description: "Includes paused partners. Only owners and admins see email addresses.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns(
        `Partners, newest first, at most ${pageSize} per page`,
        z.object({ data: z.array(ListedPartner), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { search = "", groupId, limit, cursor: { id: before } = newest } = c.req.valid("query");
    const { id } = c.get("program");
    const inEmail = seesEmails(c.get("membership"));
    const found = await readPage(c, "program", { ...cursors, size: limit }, (database, rows) =>
      list(database, id, { text: search, inEmail, groupId }, { before, limit: rows }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json(
      {
        data: page.map((partner) => ({ ...partnerReply(partner, inEmail), hasOwnPolicy: partner.hasOwnPolicy })),
        meta,
      },
      200,
    );
  },
});

const PartnerWithBalances = z
  .object({
    ...partnerRecord.schema.shape,
    erased: z
      .boolean()
      .describe("True if the partner was erased. An erased partner stays paused and can't be changed."),
    links: z.array(linkRecord.schema).describe("All codes of the partner, oldest first."),
    payment: PaymentSummary.extend({
      setBy: z
        .string()
        .nullable()
        .describe("Email address of the account that set the details. Null if the account was deleted."),
      earlierAccount: PaymentSummary.pick({ method: true, last4: true })
        .nullable()
        .describe("The previous account, if these details replaced it."),
    })
      .nullable()
      .optional()
      .describe("Payment details. Null if the partner is paid by the email address. Only owners and admins see them."),
    flags: partnerFlags
      .optional()
      .describe(
        "`shared_account` if another partner is paid to the same account or email address. Only owners and admins see it.",
      ),
    sharesAccountWith: z
      .array(z.object({ id: id(), name: z.string() }))
      .optional()
      .describe(
        "Other partners paid to the same account or email address, up to ten. Only owners and admins see them.",
      ),
    balances: z
      .array(BalanceAmounts)
      .describe(
        "One balance for each currency in which the partner has had commissions or adjustments, sorted by currency. Test events are not counted.",
      ),
    next: NextStep,
  })
  .openapi("PartnerWithBalances");

export const getPartner = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}",
    operationId: "getPartner",
    tags: ["Management"],
    summary: "Get a partner",
    description: "Includes the partner's balance in each currency. Only owners and admins see the email address.",
    ...programMember("viewer"),
    request: { params: PartnerPath },
    responses: {
      ...returns("The partner", z.object({ data: PartnerWithBalances })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const program = c.get("program");
    const { at } = c.get("call");
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerWithBalances(database, program.id, partnerId, at),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, links, balances, payment, account, policy } = found.value;
    const sharing = account?.sharing ?? [];
    const isAdmin = seesEmails(c.get("membership"));
    if (partner === undefined) return refuse(c, notFound("partner"));
    const summary = isAdmin ? paymentSummary(payment) : undefined;
    const setters = summary && payment ? [payment.setBy] : [];
    const emails = await readFromDatabase(c, "home", (database) => readEmails(database, setters));
    if (!emails.ok) return refuse(c, emails.refusal);
    const data = {
      ...partnerReply(partner, isAdmin),
      erased: partner.erased,
      payment: summary && {
        ...summary,
        setBy: emails.value.get(payment?.setBy ?? "") ?? null,
        earlierAccount: payment?.earlier ?? null,
      },
      links: linkReplies(links, partner),
      ...(isAdmin && { flags: flagsOf(sharing), sharesAccountWith: [...sharing] }),
      balances: balances.map(({ currency, ...sums }) => ({ currency, ...balanceOf(sums) })),
      next: nextReply(policy, program, at),
    };
    return c.json({ data }, 200);
  },
});

const PartnerChanges = partnerChanges(asNamed)
  .extend({
    groupId: fields
      .programId("groupId")
      .nullish()
      .describe(
        "Group whose policy applies to the partner's sales from now on. Null removes the partner from their group.",
      ),
    riskExempt: fields
      .omittable(fields.flag("riskExempt"))
      .describe("Signals only flag the partner's later commissions and never hold them."),
  })
  .openapi("PartnerChanges");

export const updatePartner = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/partners/{partnerId}",
    operationId: "updatePartner",
    tags: ["Management"],
    summary: "Update a partner",
    description:
      "A paused partner's clicks are not recorded, and their sales earn nothing. Commissions already earned stay.",
    ...reauthenticated(withJsonBody(programMember("admin")), "email"),
    request: { params: PartnerPath, body: body(PartnerChanges) },
    responses: {
      ...returns("The updated partner", z.object({ data: partnerRecord.schema })),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "external_id_taken",
        "partner_erased",
        "too_many_memberships",
        "email_unverified",
      ]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const { riskExempt: isRiskExempt, ...sent } = c.req.valid("json");
    const changes = { ...sent, isRiskExempt };
    const placeholder = placeholderOf(asNamed, sent);
    const update = { ...actingMember(c), kind: "update-partner", partnerId, changes, placeholder } as const;
    const updated = await updatePartnerIn(c, c.get("program"), update);
    return updated.ok ? c.json({ data: partnerReply(updated.value, true) }, 200) : refuse(c, updated.refusal);
  },
});
