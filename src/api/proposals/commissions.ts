import { countText, freeText, moneyText } from "#domain/explain/text.ts";
import type { CommissionId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Units } from "#domain/units.ts";
import type { Ctx } from "#http/context.ts";
import { invalidField } from "#http/refusal/responses.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { type CommissionView, findCommissions } from "#store/views/commissions.ts";
import { CommissionsFilter, readSelected } from "../decisions.ts";
import { partnerNote } from "../notes.ts";
import { inOrder } from "../period.ts";
import { readFromDatabase } from "../read-database.ts";
import { type Effect, effect, maxProposed, noSuch, type Place, type Proposable, unitsAmong } from "./action.ts";

const idsMessage = `ids must be 1 to ${maxProposed} ids of commissions`;
const ids = () => fields.ids("ids", maxProposed, idsMessage);

// The filter has no field `held`: the effects of a proposal name the held commissions that it includes.
const { held: _, ...filterFields } = CommissionsFilter.shape;

/** Refuses unknown names, because ignoring a condition would select more commissions. */
const Filter = z
  .strictObject(filterFields, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? noSuch("filter has no field", String(keys), Object.keys(filterFields))
        : "filter must be an object",
  })
  .refine(...inOrder());

const selection = {
  ids: fields.optional(ids()),
  filter: fields.optional(Filter),
  expectedCount: fields.optional(fields.integer("expectedCount", 1, maxProposed)),
};

const eitherSelection = () =>
  fields.rule<{ readonly ids: unknown; readonly filter: unknown }>(
    ["ids"],
    "Send ids, or filter",
    (sent) => (sent.ids == null) !== (sent.filter == null),
  );

const isUnpaid = ({ status, inPayout }: CommissionView): boolean =>
  status === "pending" || (status === "approved" && !inPayout);

const isApprovedByPerson = ({ status, approvedBy }: CommissionView): boolean =>
  status === "approved" && approvedBy === "person";

const verbs = {
  approve: {
    title: "Approves",
    done: "approved",
    applies: ({ status }: CommissionView) => status === "pending",
    consequence: "They can be paid out without waiting for the end of the hold period.",
  },
  reject: {
    title: "Rejects",
    done: "rejected",
    applies: isUnpaid,
    consequence: "The partners won't be paid for them. This can't be undone.",
  },
  hold: {
    title: "Holds",
    done: "held",
    applies: (each: CommissionView) => !each.held && isUnpaid(each) && !isApprovedByPerson(each),
    consequence: "They won't be paid until a member releases them.",
  },
} as const;
type Verb = keyof typeof verbs;

async function idsOf(
  c: Ctx,
  { id: programId }: Place,
  verb: "approve" | "reject",
  { ids, filter, expectedCount }: z.output<typeof Approval>,
): Promise<Result<readonly CommissionId[]>> {
  if (ids !== null || filter === null) return ok([...new Set(ids)]);
  const range = { beforeId: null, countUpTo: maxProposed, limit: maxProposed, decision: verbs[verb].done };
  const found = await readSelected(c, programId, filter, range);
  if (!found.ok) return found;
  const { count, ids: matching } = found.value;
  if (expectedCount !== null && count !== expectedCount) return refused({ code: "count_differs", count });
  const message = count === 0 ? "filter selects no commission" : `filter selects more than ${maxProposed} commissions`;
  return count === 0 || count > maxProposed ? refused(invalidField("filter", message)) : ok(matching);
}

const mostNamed = 10;

/** Names the first few of `count` commissions. `known` may lack some of them. */
function namesOf(known: readonly CommissionView[], count: number, nameOf: (commission: CommissionView) => string) {
  const names = known.slice(0, mostNamed).map(nameOf);
  return count > names.length && names.length > 0 ? `${names.join(", ")}, …` : names.join(", ");
}

/** The effects of an approval that the amounts don't show. */
function approvalEffects(wanted: readonly CommissionView[]): readonly Effect[] {
  const [held, unconfirmed] = [wanted.filter((each) => each.held), wanted.filter((each) => each.unconfirmed)];
  const heldNames = namesOf(held, held.length, ({ transactionId }) => freeText(transactionId));
  return [
    ...(held.length === 0
      ? []
      : [effect(`Ends the hold of ${countText(held.length, "commission")}: ${heldNames}.`, { count: held.length })]),
    ...(unconfirmed.length === 0
      ? []
      : [
          effect(
            `Only a browser reported the clicks of ${countText(unconfirmed.length, "commission")}. Approving confirms the customers, and with them all of their unconfirmed commissions.`,
            { count: unconfirmed.length },
          ),
        ]),
  ];
}

function effectsOf(verb: Verb, all: readonly CommissionView[], missing: number, units: Units): readonly Effect[] {
  const { title, done, applies, consequence } = verbs[verb];
  const wanted = all.filter(applies);
  const others = all.filter((each) => !applies(each));
  const ofEach = [...Map.groupBy(wanted, ({ currency }) => currency)].map(([currency, those]) => {
    const amountCents = those.reduce((sum, each) => sum + each.amountCents, 0);
    const partners = new Set(those.map(({ partnerId }) => partnerId)).size;
    const what = `${countText(those.length, "commission")} of ${countText(partners, "partner")}`;
    const text = `${title} ${what}: ${moneyText(amountCents, currency, units)}.`;
    return effect(text, { count: those.length, amountCents, currency });
  });
  const left = others.length + missing;
  const named = namesOf(others, left, (each) => `${freeText(each.transactionId)} (${statusOf(each)})`);
  return [
    ...(wanted.length === 0 ? [effect(`None of the commissions can be ${done}.`, { count: 0 })] : []),
    ...ofEach,
    ...(wanted.length === 0 ? [] : [effect(consequence)]),
    ...(verb === "approve" ? approvalEffects(wanted) : []),
    ...(left === 0
      ? []
      : [
          effect(`${countText(left, "commission")} can't be ${done}${named === "" ? "" : `: ${named}`}.`, {
            count: left,
          }),
        ]),
  ];
}

function statusOf(commission: CommissionView): string {
  const { status, inPayout, held } = commission;
  if (inPayout) return "in a payout";
  if (held) return "held";
  if (isApprovedByPerson(commission)) return "approved by a person";
  return status === "void" ? "earns nothing" : status;
}

const previewOf =
  (verb: Verb): Proposable["preview"] =>
  async (c, place, { body }) => {
    const of = ids().parse(body.ids);
    const found = await readFromDatabase(c, "program", (database) => findCommissions(database, place.id, of));
    if (!found.ok) return found;
    const rows = found.value.toSorted((a, b) => b.id - a.id);
    const units = await unitsAmong(c, place, rows);
    if (!units.ok) return units;
    return ok({ effects: effectsOf(verb, rows, of.length - rows.length, units.value), commissions: rows });
  };

const planned = (verb: Verb, ids: readonly CommissionId[], note?: { readonly partnerNote: string | null }) => ({
  target: `commissions/${verb}`,
  body: { ids, ...note },
});

const Approval = z.object(selection).refine(...eitherSelection());
const Rejection = z.object({ ...selection, partnerNote: partnerNote() }).refine(...eitherSelection());
const Hold = z.object({ ids: ids(), partnerNote: partnerNote() });

export const approve: Proposable = {
  params: Approval,
  async plan(c, place, sent) {
    const found = await idsOf(c, place, "approve", Approval.parse(sent));
    return found.ok ? ok(planned("approve", found.value)) : found;
  },
  preview: previewOf("approve"),
};

export const reject: Proposable = {
  params: Rejection,
  async plan(c, place, sent) {
    const { partnerNote, ...params } = Rejection.parse(sent);
    const found = await idsOf(c, place, "reject", params);
    return found.ok ? ok(planned("reject", found.value, { partnerNote })) : found;
  },
  preview: previewOf("reject"),
};

export const hold: Proposable = {
  params: Hold,
  async plan(_, __, sent) {
    const { ids, partnerNote } = Hold.parse(sent);
    return ok(planned("hold", [...new Set(ids)], { partnerNote }));
  },
  preview: previewOf("hold"),
};
