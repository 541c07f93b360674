import { and, count, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { KeyId, ProgramId, WebhookId } from "#domain/ids.ts";
import { maskProgramKey } from "#domain/program-key.ts";
import { type Database, readBatch } from "../database.ts";
import { partnerInvitations } from "../schema/partner-access.ts";
import { programKeys, programs } from "../schema/programs.ts";
import { webhooks } from "../schema/webhooks.ts";
import { given, readAll } from "../statement.ts";

const isAmong = (programId: typeof programs.id) => sql`${programId} in (select value from json_each(${given("ids")}))`;

interface OfProgram {
  readonly programId: ProgramId;
  readonly programName: string;
}
type WorkingKey = OfProgram & {
  readonly id: KeyId;
  readonly name: string;
  readonly lastFour: string;
};
type ActiveWebhook = OfProgram & { readonly id: WebhookId; readonly url: string };
type OpenInvitations = OfProgram & { readonly count: number };

const workingKeys = readAll<{ ids: string; at: number }, WorkingKey>((db) =>
  db
    .select({
      programId: programs.id,
      programName: programs.name,
      id: programKeys.id,
      name: programKeys.name,
      lastFour: programKeys.lastFour,
    })
    .from(programKeys)
    .innerJoin(programs, eq(programs.id, programKeys.programId))
    .where(and(isAmong(programs.id), or(isNull(programKeys.retiresAt), gt(programKeys.retiresAt, given("at")))))
    .orderBy(programs.id, programKeys.id),
);

const activeWebhooks = readAll<{ ids: string }, ActiveWebhook>((db) =>
  db
    .select({ programId: programs.id, programName: programs.name, id: webhooks.id, url: webhooks.url })
    .from(webhooks)
    .innerJoin(programs, eq(programs.id, webhooks.programId))
    .where(and(isAmong(programs.id), eq(webhooks.status, "active")))
    .orderBy(programs.id, webhooks.id),
);

const openInvitations = readAll<{ ids: string; userId: string; at: number }, OpenInvitations>((db) =>
  db
    .select({ programId: programs.id, programName: programs.name, count: count() })
    .from(partnerInvitations)
    .innerJoin(programs, eq(programs.id, partnerInvitations.programId))
    .where(
      and(
        isAmong(programs.id),
        eq(partnerInvitations.invitedBy, given("userId")),
        isNull(partnerInvitations.usedBy),
        gt(partnerInvitations.expiresAt, given("at")),
      ),
    )
    .groupBy(programs.id)
    .orderBy(programs.id),
);

const ofSubject = (subject: string) =>
  sql.raw(`from audit_entries e where e.program_id = j.value ->> 'programId' and e.subject = ${subject}`);

/**
 * Finds keys that the member created or rotated, and webhooks that the member created or changed, or whose secret the
 * member rotated. A program's first key counts as created by the member who created the program. A changed webhook
 * counts because its new URL may be the member's.
 */
const subjectsMadeBy = readAll<{ subjects: string; userId: string }, { programId: ProgramId; subject: string }>((db) =>
  db
    .select({
      programId: sql<ProgramId>`j.value ->> 'programId'`.as("program_id"),
      subject: sql<string>`j.value ->> 'subject'`.as("subject"),
    })
    .from(sql`json_each(${given("subjects")}) j`)
    .where(
      sql`iif(j.value ->> 'subject' like 'key %', ${given("userId")} = coalesce(
          (select e.actor_id ${ofSubject("j.value ->> 'subject'")} and e.action in ('key.created', 'key.rotated') order by e.id limit 1),
          (select e.actor_id ${ofSubject("'program ' || (j.value ->> 'programId')")} and e.action = 'program.created' order by e.id limit 1)),
        exists (select 1 ${ofSubject("j.value ->> 'subject'")} and e.action in ('webhook.created', 'webhook.updated', 'webhook.rotated')
          and e.actor_id = ${given("userId")}))`,
    ),
);

interface Asked {
  readonly userId: string;
  readonly programIds: readonly ProgramId[];
  readonly at: number;
}

export interface MadeByMember {
  readonly keys: readonly (OfProgram & Pick<WorkingKey, "id" | "name"> & { readonly masked: string })[];
  readonly webhooks: readonly ActiveWebhook[];
  readonly invitations: readonly OpenInvitations[];
}

const subjectOfKey = ({ programId, lastFour }: WorkingKey): string => `key ${maskProgramKey(programId, lastFour)}`;

/**
 * Returns keys, webhooks and partner invitations that the member created in these programs. They keep working after the
 * member is removed.
 */
export async function readMadeByMember(database: Database, { userId, programIds, at }: Asked): Promise<MadeByMember> {
  const ids = JSON.stringify(programIds);
  const found = await readBatch(database, {
    keys: workingKeys({ ids, at }),
    webhooks: activeWebhooks({ ids }),
    invitations: openInvitations({ ids, userId, at }),
  });
  const subjectOfWebhook = ({ id }: ActiveWebhook) => `webhook ${id}`;
  const subjects = [
    ...found.keys.map((key) => ({ programId: key.programId, subject: subjectOfKey(key) })),
    ...found.webhooks.map((webhook) => ({ programId: webhook.programId, subject: subjectOfWebhook(webhook) })),
  ];
  const made = await readBatch(database, { theirs: subjectsMadeBy({ subjects: JSON.stringify(subjects), userId }) });
  const theirs = new Set(made.theirs.map(({ programId, subject }) => `${programId} ${subject}`));
  return {
    keys: found.keys
      .filter((key) => theirs.has(`${key.programId} ${subjectOfKey(key)}`))
      .map(({ lastFour, ...key }) => ({ ...key, masked: maskProgramKey(key.programId, lastFour) })),
    webhooks: found.webhooks.filter((webhook) => theirs.has(`${webhook.programId} ${subjectOfWebhook(webhook)}`)),
    invitations: found.invitations,
  };
}
