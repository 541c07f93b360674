import * as bonuses from "#api/bonuses.ts";
import { maxAwardsPerCall } from "#domain/bonuses.ts";
import { caps } from "#domain/caps.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { BonusPath, ProgramPath } from "./params.ts";

const { bonusRecord } = bonuses;

const Reply = z.object({ data: bonusRecord.schema });

export const listBonuses = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/bonuses",
    operationId: "listBonuses",
    tags: ["Management"],
    summary: "List bonuses, or the partners to whom they are due",
    description:
      "Without `period`, lists the bonuses, newest first. With a `period` that is over, lists the partners whose approved " +
      "or paid sales reach a bonus that wasn't awarded to them yet. The list is empty until the period is over, and up to " +
      "a minute behind the sales. Bonuses don't count test sales.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: bonuses.BonusQuery },
    responses: {
      ...returns("Bonuses or due bonuses, 50 per page", bonuses.BonusListReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const found = await bonuses.readBonuses(c, c.get("program"), c.req.valid("query"));
    return found.ok ? c.json(found.value, 200) : refuse(c, found.refusal);
  },
});

export const createBonus = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/bonuses",
    operationId: "createBonus",
    tags: ["Management"],
    summary: "Create a bonus",
    description:
      "An amount for partners whose approved or paid sales in a period reach a number or a sum. Its terms never change. " +
      `A program can have ${caps.bonuses.max} bonuses at a time. A bonus is paid only after you award it.`,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(bonuses.NewBonus) },
    responses: {
      ...created("Bonus created", Reply),
      ...returns("The program already had a bonus with these terms", Reply),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "bonuses_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const made = await bonuses.createBonus(c, actingMember(c), c.req.valid("json"));
    if (!made.ok) return refuse(c, made.refusal);
    const { bonus, isNew } = made.value;
    return c.json({ data: bonusRecord.reply(bonus) }, isNew ? 201 : 200);
  },
});

export const endBonus = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/bonuses/{bonusId}",
    operationId: "endBonus",
    tags: ["Management"],
    summary: "End a bonus",
    description: "The current period is its last one. Partners who reach it until then can still be awarded.",
    ...programMember("admin"),
    request: { params: BonusPath },
    responses: {
      ...returns("The ended bonus", Reply),
      ...refusals([...memberWriteRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { bonusId } = c.req.valid("param");
    const ended = await runOperation(c, { ...actingMember(c), kind: "end-bonus", bonusId } as const);
    return ended.ok ? c.json({ data: bonusRecord.reply(ended.answer) }, 200) : refuse(c, ended.refusal);
  },
});

export const dismissBonus = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/bonuses/{bonusId}/dismiss",
    operationId: "dismissBonus",
    tags: ["Management"],
    summary: "Dismiss an ended bonus",
    description:
      "For a bonus with wrong terms. The bonus is no longer due, even for periods in which partners reached it, and can't be " +
      "awarded. Earlier awards stay. Repeating it changes nothing.",
    ...programMember("admin"),
    request: { params: BonusPath },
    responses: {
      ...returns("The dismissed bonus", Reply),
      ...refusals([...memberWriteRefusals, "not_ended", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { bonusId } = c.req.valid("param");
    const dismissed = await runOperation(c, { ...actingMember(c), kind: "dismiss-bonus", bonusId } as const);
    return dismissed.ok ? c.json({ data: bonusRecord.reply(dismissed.answer) }, 200) : refuse(c, dismissed.refusal);
  },
});

export const awardBonuses = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/bonuses/award",
    operationId: "awardBonuses",
    tags: ["Management"],
    summary: "Award bonuses",
    description:
      "Pays bonuses of a period that is over, each by an adjustment with the reference `bonus:<id>:<period>`, which is " +
      "included in the partner's next payout. A bonus is paid once for each partner and period. A partner whose sales " +
      `don't reach it any more is refused. A call can have ${maxAwardsPerCall} rows; a refused row doesn't affect the others.`,
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(bonuses.Awards) },
    responses: {
      ...returns("Result of each row, in the order of the rows", bonuses.AwardsReply),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const award = { ...actingMember(c), kind: "award-bonuses", ...c.req.valid("json") } as const;
    const awarded = await runOperation(c, award);
    return awarded.ok ? c.json({ data: awarded.answer.map(bonuses.awardReply) }, 200) : refuse(c, awarded.refusal);
  },
});
