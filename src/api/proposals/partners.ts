import { countText, freeText, moneyText } from "#domain/explain/text.ts";
import type { GroupId, PartnerId } from "#domain/ids.ts";
import { clamped } from "#domain/money.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { adjustmentByReference } from "#store/adjustments.ts";
import { readBatch } from "#store/database.ts";
import { balancesToClose } from "#store/erased-partners.ts";
import { findGroup } from "#store/views/groups.ts";
import { findApplications } from "#store/views/join-pages.ts";
import { findPartners, type PartnerView } from "#store/views/partners.ts";
import { NewAdjustment } from "../adjustments.ts";
import { partnerNote } from "../notes.ts";
import { newPartnerCode } from "../partners.ts";
import { readFromDatabase } from "../read-database.ts";
import { unitsOf } from "../units.ts";
import {
  effect,
  maxProposed,
  type Place,
  type Planned,
  type Preview,
  type Proposable,
  type ProposedPartner,
} from "./action.ts";
import { earningOf } from "./policy.ts";

const shown = ({ id, name, code, status }: PartnerView): ProposedPartner => ({ id, name, code, status });

async function readPartners(c: Ctx, { id }: Place, ids: readonly PartnerId[]): Promise<Result<readonly PartnerView[]>> {
  const found = await readFromDatabase(c, "program", (database) => findPartners(database, id, ids));
  if (!found.ok) return found;
  return found.value.length < ids.length ? refused(notFound("partner")) : found;
}

/** The id in the path of the planned call. */
const idIn = ({ target }: Planned): number => Number(target.split("/")[1]);

const partnersMessage = `partnerIds must be 1 to ${maxProposed} ids of partners`;
const Move = z.object({
  partnerIds: fields.ids("partnerIds", maxProposed, partnersMessage),
  groupId: fields.programId("groupId").nullable(),
});

async function previewMove(c: Ctx, place: Place, planned: Planned): Promise<Result<Preview>> {
  const ids = Move.shape.partnerIds.parse(planned.body.partnerIds);
  const groupId: GroupId | null = planned.target.startsWith("groups/none/") ? null : idIn(planned);
  const partners = await readPartners(c, place, ids);
  if (!partners.ok) return partners;
  const group = await readFromDatabase(c, "program", (database) => findGroup(database, place.id, groupId ?? 0));
  if (!group.ok) return group;
  if (groupId !== null && group.value === undefined) return refused(notFound("group"));
  const moved = partners.value.filter((partner) => partner.groupId !== groupId);
  const count = moved.length;
  const to = group.value === undefined ? "no group" : `the group ${freeText(group.value.name)}`;
  const policy = group.value?.policy;
  const earning = (policy && earningOf(policy)) ?? "the program's commission";
  const effects = [
    effect(`Moves ${countText(count, "partner")} to ${to}.`, { count }),
    ...(count === ids.length ? [] : [effect(`${countText(ids.length - count, "partner")} already there.`)]),
    effect(
      `Unless they have a policy of their own, their new sales earn ${earning}. Earlier commissions keep their amounts.`,
    ),
  ];
  return ok({ effects, partners: partners.value.map(shown) });
}

export const group: Proposable = {
  params: Move,
  async plan(_, __, sent) {
    const { partnerIds, groupId } = Move.parse(sent);
    return ok({ target: `groups/${groupId ?? "none"}/partners`, body: { partnerIds: [...new Set(partnerIds)] } });
  },
  preview: previewMove,
};

const Adjustment = NewAdjustment.omit({ reason: true, reference: true }).extend({
  partnerId: fields.programId("partnerId"),
  reference: fields.optional(NewAdjustment.shape.reference),
});

const AdjustmentTerms = NewAdjustment.pick({ amountCents: true, currency: true, reference: true });

async function previewAdjustment(c: Ctx, place: Place, planned: Planned): Promise<Result<Preview>> {
  const { amountCents, currency, reference } = AdjustmentTerms.parse(planned.body);
  const partnerId = idIn(planned);
  const partners = await readPartners(c, place, [partnerId]);
  if (!partners.ok) return partners;
  const units = await unitsOf(c, place.id, currency);
  if (!units.ok) return units;
  const of = { programId: place.id, partnerId };
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      recorded: adjustmentByReference({ ...of, reference: reference.trim(), sentReference: reference }),
      balances: balancesToClose(of),
    }),
  );
  if (!found.ok) return found;
  const { recorded, balances } = found.value;
  if (recorded !== undefined) {
    const text = "An adjustment with this reference is recorded already. Nothing would change.";
    return ok({ effects: [effect(text, { amountCents: 0, currency })], partners: partners.value.map(shown) });
  }
  const balance = balances.find((each) => each.currency === currency);
  const money = (cents: number) => moneyText(cents, currency, units.value);
  const kind = amountCents > 0 ? `Adds a bonus of ${money(amountCents)} to` : `Takes ${money(-amountCents)} from`;
  const names = partners.value.map(({ name }) => freeText(name)).join();
  const payable = clamped(balance?.payableCents ?? 0n);
  const text = `${kind} the balance of ${names}, of which ${payable === 0 ? "nothing" : money(payable)} is payable now. It is included in the next payout, and can't be changed.`;
  return ok({ effects: [effect(text, { amountCents, currency })], partners: partners.value.map(shown) });
}

export const adjustment: Proposable = {
  params: Adjustment,
  async plan(_, __, sent) {
    const { partnerId, reference, ...terms } = Adjustment.parse(sent);
    // The reference is fixed here, so that the adjustment is recorded once however often the link is opened.
    const body = { ...terms, reference: reference ?? `proposal ${randomSecret()}` };
    return ok({ target: `partners/${partnerId}/adjustments`, body });
  },
  preview: previewAdjustment,
};

const decisions = ["approve", "decline"] as const;
const Application = z.object({
  applicationId: fields.programId("applicationId"),
  decision: fields.oneOf("decision", decisions),
  code: fields.optional(newPartnerCode()),
  groupId: fields.programId("groupId").nullish(),
  partnerNote: partnerNote(),
});

async function previewApplication(c: Ctx, { id }: Place, planned: Planned): Promise<Result<Preview>> {
  const found = await readFromDatabase(c, "program", (database) => findApplications(database, id, [idIn(planned)]));
  if (!found.ok) return found;
  const [application] = found.value;
  if (application === undefined) return refused(notFound("application"));
  const { name, status } = application;
  if (status !== "pending") return refused({ code: "decided", status });
  const text = planned.target.endsWith("/approve")
    ? `${freeText(name)} becomes a partner, and can open their partner pages at once.`
    : `Declines the application of ${freeText(name)}, who can apply again after 30 days. This can't be undone.`;
  return ok({ effects: [effect(text)], application: { id: application.id, name, status } });
}

export const application: Proposable = {
  params: Application,
  async plan(_, __, sent) {
    const { applicationId, decision, code, groupId, partnerNote } = Application.parse(sent);
    const body = decision === "approve" ? { code, groupId } : { partnerNote };
    return ok({ target: `applications/${applicationId}/${decision}`, body });
  },
  preview: previewApplication,
};
