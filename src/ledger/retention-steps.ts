import { dayMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Retained, retainedAt } from "#domain/retention.ts";
import { anyExpired, removeExpired } from "#store/accounts/expired.ts";
import { type Database, readBatch, readOne } from "#store/database.ts";
import { type RetentionRow, removal, retained, retentionOfProgram } from "#store/retention.ts";
import type { Found, Write } from "#store/statement.ts";

type Reader = Pick<Database, "read">;

/** The most rows of each kind in one step. Calls wait while a step removes rows. */
export const maxRowsPerStep = 25;

export interface Step {
  readonly name: string;
  readonly writes: readonly Write[];
  /** True if nothing is left to remove. */
  readonly isOver: boolean;
}

/** Removes expired sessions, links and invitations of accounts. Only the home database has any. */
export async function accountStep(database: Reader, at: number): Promise<Step> {
  const { linksSince: links, invitationsSince: invitations } = retainedAt(at);
  const before = { links, invitations };
  const expired = await readOne(database, anyExpired(before));
  const isOver = expired?.isAny !== true;
  return { name: "retention of accounts", writes: isOver ? [] : removeExpired(before, maxRowsPerStep), isOver };
}

/** Plans the removal of old rows, starting at the position that the previous step stored. */
export async function programStep(
  database: Reader,
  { programId, clickDays, at }: { readonly programId: ProgramId; readonly clickDays: number; readonly at: number },
): Promise<Step> {
  const name = `retention of program ${programId}`;
  const row = await readOne(database, retentionOfProgram({ programId }));
  if (row === undefined) return { name, writes: [], isOver: true };
  const since = retainedAt(at, clickDays);
  const found = await readBatch(database, readsAfter(row, since));
  const isOver = Object.values(found).every(({ length }) => length < maxRowsPerStep);
  const next = positionAfter(row, found, since);
  const advanced = isOver ? { ...next, ...firstEvent, dueAt: at + dayMs } : next;
  return { name, writes: [...removals(row, next, found, since), removal.advance(advanced)], isOver };
}

const readsAfter = (row: RetentionRow, since: Retained) => {
  const { programId, clickAt, clickRow, eventIsTest: isTest, eventId, eventLinkId: linkId } = row;
  const limit = maxRowsPerStep;
  return {
    clicks: retained.clicksAfter({ programId, clickAt, clickRow, before: since.clicksSince, limit }),
    events: retained.eventIdsAfter({ programId, isTest, eventId, linkId, limit }),
    declined: retained.declinedBefore({ programId, before: since.declinedSince, limit }),
    decided: retained.decidedBefore({ programId, before: since.claimsSince, limit }),
    invited: retained.invitationsBefore({ programId, before: since.invitationsSince, limit }),
    unknown: retained.unknownCodesBefore({ programId, before: since.unknownCodesSince, limit }),
  };
};
type Page = Found<ReturnType<typeof readsAfter>>;

/**
 * The clicks before the first one that was recorded in the last day. The event of a click recorded in the last day may
 * be sent again, so that click and all later ones stay for now.
 */
function settledOf({ clicks }: Page, { recordedSince }: Retained): Page["clicks"] {
  const first = clicks.findIndex(({ createdAt }) => createdAt > recordedSince);
  return first === -1 ? clicks : clicks.slice(0, first);
}

/** The position in the event ids at which each pass of the retention starts. */
const firstEvent = { eventIsTest: false, eventId: "", eventLinkId: 0 };

function positionAfter(row: RetentionRow, found: Page, since: Retained): RetentionRow {
  const click = settledOf(found, since).at(-1);
  const event = found.events.at(-1);
  return {
    ...row,
    ...(click && { clickAt: click.occurredAt, clickRow: click.id }),
    ...(event && { eventIsTest: event.isTest, eventId: event.eventId, eventLinkId: event.linkId }),
  };
}

/** Kinds without old rows are left out. */
function removals(row: RetentionRow, next: RetentionRow, found: Page, since: Retained): readonly Write[] {
  const { programId } = row;
  const clicks = settledOf(found, since).filter(({ isNamed }) => !isNamed);
  const hasOldEvents = found.events.some(({ recordedAt }) => recordedAt < since.eventIdsSince);
  const { declined, decided, invited, unknown } = found;
  const ofDeclined = { programId, ids: idsOf(declined), before: since.declinedSince };
  const ofDecided = { programId, ids: idsOf(decided), before: since.claimsSince };
  const ofUnknown = { programId, rows: rowsOf(unknown), before: since.unknownCodesSince };
  const ofInvited = { programId, ids: idsOf(invited), before: since.invitationsSince };
  return [
    ...(clicks.length > 0 ? [removal.removeClicks({ programId, ids: idsOf(clicks) })] : []),
    ...(hasOldEvents ? [removalOfEvents(row, next, since.eventIdsSince)] : []),
    ...(declined.length > 0 ? [removal.forgetNotes(ofDeclined), removal.forgetApplications(ofDeclined)] : []),
    ...(decided.length > 0 ? [removal.forgetClaimTexts(ofDecided), removal.markClaims(ofDecided)] : []),
    ...(invited.length > 0 ? [removal.removeInvitations(ofInvited)] : []),
    ...(unknown.length > 0 ? [removal.removeUnknownCodes(ofUnknown)] : []),
  ];
}

function removalOfEvents(from: RetentionRow, to: RetentionRow, before: number): Write {
  const { programId, eventIsTest: isTestFrom, eventId: eventIdFrom, eventLinkId: linkIdFrom } = from;
  const { eventIsTest: isTest, eventId, eventLinkId: linkId } = to;
  return removal.removeEventIds({ programId, before, isTestFrom, eventIdFrom, linkIdFrom, isTest, eventId, linkId });
}

const rowsOf = (codes: Page["unknown"]): string =>
  JSON.stringify(codes.map(({ isTest, day, code }) => [Number(isTest), day, code]));

const idsOf = (rows: readonly { readonly id: number }[]): string => JSON.stringify(rows.map(({ id }) => id));
