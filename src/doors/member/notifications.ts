import { sendsMail } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { mailFrequencies, mailSettings, teamMailKinds } from "#domain/team-mail.ts";
import { teamMailOriginOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { Membership } from "#store/accounts/scope.ts";
import {
  readAccountMails,
  readMemberMails,
  restartMails,
  saveMemberMails,
  stopAllMails,
} from "#store/accounts/team-mail-choices.ts";
import {
  inputRefusals,
  memberRefusals,
  memberWriteRefusals,
  programMember,
  sessionRefusals,
  sessionWriteRefusals,
  signedIn,
  signedInToRead,
} from "./guards.ts";
import { ProgramPath } from "./params.ts";

const kinds = {
  application_received: "Mails about applications to become a partner.",
  claim_opened: "Mails about sales that partners report as missing.",
  commission_held: "Mails about commissions that are held for review, or unconfirmed.",
  webhook_disabled: "Mails about webhooks that fail, or that were disabled because of failures.",
  payout_due:
    "Mails about payouts that are drafts or not paid yet, partners to pay, changed payment details and due bonuses. Sent only if a payout is a draft or not paid yet, or if none was finalized in the last 30 days.",
} as const;

const Notifications = z
  .object({
    application_received: z.enum(mailFrequencies).describe(kinds.application_received),
    claim_opened: z.enum(mailFrequencies).describe(kinds.claim_opened),
    commission_held: z.enum(mailFrequencies).describe(kinds.commission_held),
    webhook_disabled: z.enum(mailFrequencies).describe(kinds.webhook_disabled),
    payout_due: z.enum(mailFrequencies).describe(kinds.payout_due),
  })
  .openapi("Notifications");

const frequency = (kind: keyof typeof kinds) =>
  fields.omittable(fields.oneOf(kind, mailFrequencies)).describe(kinds[kind]);

const NotificationChanges = z
  .strictObject(
    {
      application_received: frequency("application_received"),
      claim_opened: frequency("claim_opened"),
      commission_held: frequency("commission_held"),
      webhook_disabled: frequency("webhook_disabled"),
      payout_due: frequency("payout_due"),
    },
    `Kinds are ${teamMailKinds.join(", ")}`,
  )
  .openapi("NotificationChanges");

interface InProgram {
  get(name: "userId"): string;
  get(name: "program"): { readonly id: number };
  get(name: "membership"): Membership;
}

async function settingsOf(c: Ctx & InProgram) {
  const { role } = c.get("membership");
  const member = { userId: c.get("userId"), programId: c.get("program").id };
  const found = await readFromDatabase(c, "home", (database) => readMemberMails(database, member));
  return found.ok ? { ...found, value: mailSettings({ role, ...found.value }) } : found;
}

export const getNotifications = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/notifications",
    operationId: "getNotifications",
    tags: ["Management"],
    summary: "Get your emails about a program",
    description:
      "Returns how often you are mailed about each kind of open task of the program. Owners start with `daily`, other members with `off`. All programs share one email a day, which is sent only to a verified address, and only if there are tasks.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Your settings", z.object({ data: Notifications })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const found = await settingsOf(c);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});

export const setNotifications = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/notifications",
    operationId: "setNotifications",
    tags: ["Management"],
    summary: "Choose which emails you get about a program",
    description:
      "Sets how often you are mailed about the kinds that the body names. The other kinds don't change. `weekly` is Monday, in UTC.",
    ...withJsonBody(programMember("viewer")),
    request: { params: ProgramPath, body: body(NotificationChanges) },
    responses: {
      ...returns("Your settings", z.object({ data: Notifications })),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const member = { userId: c.get("userId"), programId: c.get("program").id };
    const changes = c.req.valid("json");
    const saved = await readFromDatabase(c, "home", (database) => saveMemberMails(database, member, changes));
    if (!saved.ok) return refuse(c, saved.refusal);
    const found = await settingsOf(c);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});

const starts = ["by_role", "off"] as const;
const states = ["on", "no_mail", "no_base_url", "unverified"] as const;

const AllNotifications = z
  .object({
    all: z
      .enum(starts)
      .describe(
        "Default for programs for which you haven't chosen your emails. `by_role`: daily emails for programs of which you are an owner. `off`: no emails.",
      ),
    chosen: int64().describe("Number of programs for which you have chosen your emails."),
    state: z
      .enum(states)
      .describe(
        "`on`: emails are sent. `no_mail`: the service sends no email. `no_base_url`: the operator hasn't set the service's address, to which the links in the emails lead. `unverified`: your email address isn't verified.",
      ),
  })
  .openapi("AllNotifications");

function stateOf(c: Ctx, isVerified: boolean): (typeof states)[number] {
  if (!sendsMail(c)) return "no_mail";
  if (teamMailOriginOf(c.env) === undefined) return "no_base_url";
  return isVerified ? "on" : "unverified";
}

async function allSettingsOf(c: Ctx & Pick<InProgram, "get">) {
  const found = await readFromDatabase(c, "home", (database) => readAccountMails(database, c.get("userId")));
  if (!found.ok) return found;
  const { hasStopped, isVerified, chosen } = found.value;
  return { ...found, value: { all: starts[Number(hasStopped)] ?? "by_role", chosen, state: stateOf(c, isVerified) } };
}

export const getAllNotifications = endpoint({
  route: createRoute({
    method: "get",
    path: "/notifications",
    operationId: "getAllNotifications",
    tags: ["Management"],
    summary: "Get your emails about all programs",
    description: "Returns whether you get emails about open tasks of programs, and whether the service sends them.",
    ...signedInToRead(),
    responses: {
      ...returns("Your settings", z.object({ data: AllNotifications })),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const found = await allSettingsOf(c);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});

const AllNotificationChanges = z.object({ all: fields.oneOf("all", starts) }).openapi("AllNotificationChanges");

export const setAllNotifications = endpoint({
  route: createRoute({
    method: "put",
    path: "/notifications",
    operationId: "setAllNotifications",
    tags: ["Management"],
    summary: "Choose which emails you get about all programs",
    description:
      "Replaces your settings for all programs, and applies to those that you join later. `off` also withdraws an email of today that wasn't sent yet.",
    ...withJsonBody(signedIn()),
    request: { body: body(AllNotificationChanges) },
    responses: {
      ...returns("Your settings", z.object({ data: AllNotifications })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const { at } = c.get("call");
    const { all } = c.req.valid("json");
    const saved = await readFromDatabase(c, "home", (database) =>
      all === "off" ? stopAllMails(database, { userId, at }) : restartMails(database, userId),
    );
    if (!saved.ok) return refuse(c, saved.refusal);
    const found = await allSettingsOf(c);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
