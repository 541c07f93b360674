import type { ProgramId } from "#domain/ids.ts";
import { applicationStatuses } from "#domain/join-page.ts";
import { activeStatuses } from "#domain/program-status.ts";
import type { Body, Proposal } from "#domain/proposal.ts";
import { ok, type Result } from "#domain/result.ts";
import { isUnitCode, noUnits, type Units } from "#domain/units.ts";
import type { Ctx } from "#http/context.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { CommissionView } from "#store/views/commissions.ts";
import { readUnits } from "../units.ts";

export const effectRecord = record("ProposalEffect", {
  text: z.string().describe("Effect that the change would have now, as text."),
  count: int64().nullable().describe("Number of commissions, partners or sales that the text is about."),
  amountCents: int64().nullable().describe("Amount that the text is about, in the currency's smallest unit."),
  previousCents: int64().nullable().describe("For a policy: commission that the same sales have earned."),
  currency: z.string().nullable(),
});

export type Effect = Parameters<typeof effectRecord.reply>[0];

const none = { count: null, amountCents: null, previousCents: null, currency: null } as const;
export const effect = (text: string, numbers: Partial<Omit<Effect, "text">> = {}): Effect => ({
  text,
  ...none,
  ...numbers,
});

export const ProposedPartner = z
  .object({ id: id(), name: z.string(), code: z.string(), status: z.enum(activeStatuses) })
  .openapi("ProposedPartner");
export type ProposedPartner = z.output<typeof ProposedPartner>;

export const ProposedApplication = z.object({ id: id(), name: z.string(), status: z.enum(applicationStatuses) });
type ProposedApplication = z.output<typeof ProposedApplication>;

/** The effects that a proposal would have now, and the rows that the dashboard shows for it. */
export interface Preview {
  readonly effects: readonly Effect[];
  readonly commissions?: readonly CommissionView[];
  readonly partners?: readonly ProposedPartner[];
  readonly application?: ProposedApplication;
}

export interface Place {
  readonly id: ProgramId;
  readonly timezone: string;
  readonly currency: string;
}

export type Planned = Pick<Proposal, "target" | "body">;

/** A change that a key can propose. */
export interface Proposable {
  /** The parameters of the proposed call, without `reason`. */
  readonly params: z.ZodObject;
  /** Turns parameters, which have been validated, into the call that the member makes. */
  plan(c: Ctx, place: Place, sent: Body): Promise<Result<Planned>>;
  /** Reads a limited number of rows, and changes nothing. */
  preview(c: Ctx, place: Place, planned: Planned): Promise<Result<Preview>>;
}

/** A message repeats an unknown name only up to this length. */
const maxNameLength = 100;

/** The message about an unknown parameter or field, with the known ones. */
export function noSuch(what: string, unknown: string, known: readonly string[]): string {
  const others = known.length === 0 ? "It has none" : `It has ${known.join(", ")}`;
  return `${what} ${unknown.slice(0, maxNameLength)}. ${others}`;
}

export const maxProposed = 200;

/** Reads the program's units if an amount is in one. */
export async function unitsAmong(
  c: Ctx,
  { id: programId }: Place,
  rows: readonly { readonly currency: string }[],
): Promise<Result<Units>> {
  return rows.some(({ currency }) => isUnitCode(currency)) ? readUnits(c, programId) : ok(noUnits);
}
