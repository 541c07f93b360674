import { readFromDatabase } from "#api/read-database.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { commonRefusals, keyRefusals } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import type { PresentedKey } from "#operations/operation.ts";
import { type OwnPartner, readOwnPartner } from "#store/own-partner.ts";
import { checkedKey } from "../checked-key.ts";

export const ReportPath = z.object({ partnerId: z.string().describe("Id of a partner of the program.") });

export const reportRefusals = ["missing_key", ...keyRefusals, "not_found", "invalid_input", ...commonRefusals] as const;

const noPartner = { code: "not_found", what: "partner" } as const;

/** Of the program that the key is for. */
export async function keyedPartner(c: Ctx, key: PresentedKey, asked: string): Promise<Result<OwnPartner>> {
  const checked = await checkedKey(c, key);
  if (!checked.ok) return checked;
  const partnerId = readId(asked);
  if (partnerId === undefined) return refused(noPartner);
  const { programId } = checked.value;
  const read = await readFromDatabase(c, "program", (database) => readOwnPartner(database, programId, partnerId));
  if (!read.ok) return read;
  return read.value === undefined ? refused(noPartner) : ok(read.value);
}
