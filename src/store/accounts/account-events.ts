import { and, desc, eq, lt, ne, notInArray, sql } from "drizzle-orm";
import { type AccountAction, keptAccountEvents } from "#domain/account-event.ts";
import { type Database, readOne } from "../database.ts";
import type { MailRow } from "../mails.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { workspaceAuditEntries as entries, memberships } from "../schema/members.ts";
import { accountEvents as events } from "../schema/users.ts";
import { given, readAll, rowWhere, unencoded, type Write, write } from "../statement.ts";
import { insertEventMail } from "./account-mails.ts";
import { entryOf } from "./workspace-audit.ts";

export type AccountEvent = {
  readonly operationId: string;
  readonly userId: string;
  readonly action: AccountAction;
  readonly device: string | null;
  readonly place: string | null;
  readonly at: number;
  /** A mail that informs the account of the event. */
  readonly mail?: MailRow | undefined;
};

type Event = Omit<AccountEvent, "mail">;
type Kept = Event & { readonly actorId: string };

const failed = "sign_in_failed" satisfies AccountAction;

type Values = Event & { readonly id: null; readonly createdAt: number };

const valuesOf = (event: Event): Values => ({ ...event, id: null, createdAt: event.at });

const insertIfChanged = write<Values>((db) => db.insert(events).select(rowWhere(events, sql`changes() > 0`)));

const insertFailure = write<Values>((db) =>
  db.insert(events).select(rowWhere(events, sql`true`)).onConflictDoNothing({ target: events.operationId }),
);

/** Inserts one entry for each workspace in which the user is an active member. Owners see it in the audit trail. */
const insertEntries = write<Kept>((db) =>
  db.insert(entries).select(
    db
      .select({
        ...entryOf({
          workspaceId: memberships.workspaceId,
          action: sql`'account.' || ${unencoded("action")}`,
          subject: sql`'member ' || ${memberships.id}`,
          after: sql`json_object('userId', ${memberships.userId}, 'device', ${unencoded("device")}, 'place', ${unencoded("place")})`,
        }),
        operationId: sql<string>`${unencoded("operationId")} || ' ' || ${memberships.id}`.as("operation_id"),
      })
      .from(memberships)
      .where(and(eq(memberships.userId, given("userId")), eq(memberships.status, "active"), sql`changes() = 1`)),
  ),
);

const trimTo = (kept: number, isOfKind: typeof eq | typeof ne) =>
  write<{ userId: string }>((db) => {
    const isMine = and(eq(events.userId, given("userId")), isOfKind(events.action, failed));
    const newest = db.select({ id: events.id }).from(events).where(isMine).orderBy(desc(events.id)).limit(kept);
    return db.delete(events).where(and(isMine, notInArray(events.id, newest)));
  });

const trimFailures = trimTo(keptAccountEvents.failed, eq);
const trimOthers = trimTo(keptAccountEvents.others, ne);

/**
 * Place these writes directly after the statement that makes the change. The event is written only if that statement
 * changed a row, so a retried batch adds nothing.
 */
export function eventIfChanged({ mail, ...event }: AccountEvent, actorId = event.userId): readonly Write[] {
  return [
    insertIfChanged(valuesOf(event)),
    insertEntries({ ...event, actorId }),
    ...(mail === undefined ? [] : [insertEventMail({ ...mail, eventOperationId: event.operationId })]),
    trimOthers({ userId: event.userId }),
  ];
}

export async function recordFailedSignIn(database: Database, event: Omit<Event, "action">): Promise<void> {
  await writeWithRetry(database, [
    insertFailure(valuesOf({ ...event, action: failed })),
    trimFailures({ userId: event.userId }),
  ]);
}

export type AccountEventRow = Omit<typeof events.$inferSelect, "operationId" | "userId">;

export const eventsOfAccount = readAll<{ userId: string; before: number; limit: number }, AccountEventRow>((db) =>
  db
    .select({
      id: events.id,
      action: events.action,
      device: events.device,
      place: events.place,
      createdAt: events.createdAt,
    })
    .from(events)
    .where(and(eq(events.userId, given("userId")), lt(events.id, given("before"))))
    .orderBy(desc(events.id))
    .limit(given("limit")),
);

export async function listAccountEvents(
  database: Database,
  userId: string,
  before: number,
  limit: number,
): Promise<readonly AccountEventRow[]> {
  return await readOne(database, eventsOfAccount({ userId, before, limit }));
}
