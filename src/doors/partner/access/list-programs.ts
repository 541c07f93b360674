import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import { hourMs } from "#domain/calendar.ts";
import type { Shard } from "#domain/ids.ts";
import { partnerRoles } from "#domain/partner-access.ts";
import { programStatus, programStatuses } from "#domain/program-status.ts";
import { home } from "#domain/shard.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { forgetAccountPartners, readAccountPartners } from "#store/accounts/account-partners.ts";
import { type PartnerOfAccount, readPartnersOfAccount } from "#store/views/partner-access.ts";
import { sessionRefusals, signedIn } from "../../member/guards.ts";

const PartnerProgram = z
  .object({
    programId: id(),
    partnerId: id(),
    programName: z.string(),
    name: z.string().describe("Of the partner."),
    role: z.enum(partnerRoles),
    status: z.enum(programStatuses).describe("Of the program; `paused` also if the partner is."),
    currency: z.string(),
    termsPending: z.boolean().describe("The program has terms that your account hasn't accepted. Nothing is withheld."),
  })
  .openapi("PartnerProgram");

export const listPrograms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs",
    operationId: "listPartnerPrograms",
    tags: ["Access"],
    summary: "List the partners that your account has access to",
    description: "In any program. Access that has ended is no longer listed.",
    ...signedIn(),
    responses: {
      ...returns(
        "In the order of the programs' ids",
        z.object({
          data: z.array(PartnerProgram),
          meta: z.object({
            unavailable: int64().describe("Number of partners whose program can't be reached at the moment."),
          }),
        }),
      ),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const accountId = c.get("userId");
    const entries = await readFromDatabase(c, "home", (database) => readAccountPartners(database, accountId));
    if (!entries.ok) return refuse(c, entries.refusal);
    const shards = [...new Set<Shard>([home, ...entries.value.map(({ shard }) => shard)])];
    const ids = entries.value.map(({ programId }) => programId);
    const read = await Promise.all(
      shards.map((shard) =>
        readFromShards(c, (databaseOf) => readPartnersOfAccount(databaseOf(shard), accountId, ids)),
      ),
    );
    const reached = read.flatMap((each) => (each.ok ? [each.value] : []));
    const found = reached.flatMap((each) => each.found);
    const here = new Set(reached.flatMap((each) => each.here.map(({ id }) => id)));
    const known = new Set(found.map(keyOf));
    const missing = entries.value.filter((entry) => !known.has(keyOf(entry)));
    // Of a program that is on its way to another shard, nobody knows.
    const ended = missing.filter(({ programId }) => here.has(programId));
    const unavailable = missing.length - ended.length;
    const old = ended.filter(({ enteredAt }) => enteredAt < c.get("call").at - keptMs);
    if (old.length > 0) await readFromDatabase(c, "home", (database) => forgetAccountPartners(database, old));
    return c.json({ data: found.map(reply), meta: { unavailable } }, 200);
  },
});

/** A younger entry may be of an access that is just being granted. */
const keptMs = hourMs;

const keyOf = ({ programId, partnerId }: { readonly programId: number; readonly partnerId: number }): string =>
  `${programId} ${partnerId}`;

function reply({ partnerStatus, programStatus: status, archivedAt, ...rest }: PartnerOfAccount) {
  const ofProgram = programStatus({ status, archivedAt });
  // Who only reads can't accept them.
  const termsPending = rest.termsPending && rest.role === "manage";
  return { ...rest, termsPending, status: ofProgram === "active" ? partnerStatus : ofProgram };
}
