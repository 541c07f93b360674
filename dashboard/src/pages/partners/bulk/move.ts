import type { PreparedRow, RowResult, Sender, Sent } from "../../../../../importer/index.ts";
import { answerOf } from "../../../api/bulk-sender.ts";
import { api, take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { mapConcurrent } from "../../../api/map-concurrent.ts";
import type { Many } from "../../../api/use-many.ts";
import { formatCount } from "../../../format.ts";
import { nameInText } from "../../../named-by-code.ts";
import { type Program, paramOf } from "../../../session.tsx";
import { type BulkPartner, type BulkResult, changedBy, linesOf, resultOf, source, type Undo } from "./verbs.ts";

const readsAtOnce = 4;

/** Adds each partner's group, which the list with figures doesn't have. */
export const withGroups = (program: Program, partners: readonly BulkPartner[]): Promise<readonly BulkPartner[]> =>
  mapConcurrent(partners, readsAtOnce, async (partner) => {
    if (partner.groupId !== undefined) return partner;
    const param = { ...paramOf(program), partnerId: String(partner.id) };
    const { data } = await take(api.programs[":programId"].partners[":partnerId"].$get({ param }));
    return { ...partner, groupId: data.groupId };
  });

interface Move {
  readonly partner: BulkPartner;
  readonly groupId: number | null;
}

interface Moving extends Move {
  readonly line: number;
}

/** True if the error is about one partner, so that the others can still be moved. */
const isOfOne = (error: unknown) => error instanceof Failure && (error.status === 404 || error.status === 409);

const programPath = api.programs[":programId"];

/** Moves a list of partners to a group in one call. Undefined if one of them can't be moved; then none of them is. */
async function moveList(program: Program, groupId: number | null, moves: readonly Moving[]): Promise<true | undefined> {
  const { groups } = programPath;
  const param = paramOf(program);
  const json = { partnerIds: moves.map(({ partner }) => partner.id) };
  try {
    if (groupId === null) await take(groups.none.partners.$post({ param, json }));
    else await take(groups[":groupId"].partners.$post({ param: { ...param, groupId: String(groupId) }, json }));
    return true;
  } catch (error) {
    if (isOfOne(error)) return undefined;
    throw error;
  }
}

async function moveOne(program: Program, { partner, groupId, line }: Moving): Promise<RowResult> {
  const param = { ...paramOf(program), partnerId: String(partner.id) };
  try {
    await take(programPath.partners[":partnerId"].$patch({ param, json: { groupId } }));
    return { line, result: "updated" };
  } catch (error) {
    if (error instanceof Failure && isOfOne(error)) return { line, result: "refused", code: error.message };
    throw error;
  }
}

/**
 * Moves partners in lists. If a partner of a list can't be moved, moves that list's partners one by one. A repeated
 * call skips partners that were already moved.
 */
function moveSender(program: Program, moves: readonly Move[]): Sender {
  const results = new Map<number, RowResult>();
  const add = (result: RowResult) => results.set(result.line, result);
  const moveAll = async (groupId: number | null, those: readonly Moving[]) => {
    if (await moveList(program, groupId, those)) {
      for (const { line } of those) add({ line, result: "updated" });
    } else {
      for (const each of those) add(await moveOne(program, each));
    }
  };
  const movingIn = (rows: readonly PreparedRow[]) =>
    rows.flatMap(({ line }): readonly Moving[] => {
      const move = moves[line - 1];
      return move === undefined || results.has(line) ? [] : [{ ...move, line }];
    });
  const isThere = ({ partner, groupId }: Moving) => partner.groupId === groupId;
  return ({ rows }) =>
    answerOf(async () => {
      const moving = movingIn(rows);
      for (const { line } of moving.filter(isThere)) add({ line, result: "unchanged" });
      const others = moving.filter((each) => !isThere(each));
      for (const [groupId, those] of Map.groupBy(others, (each) => each.groupId)) await moveAll(groupId, those);
      return rows.flatMap(({ line }) => results.get(line) ?? []);
    });
}

const move = (many: Many, program: Program, moves: readonly Move[]): Promise<Sent> =>
  many.run({ kind: "partners", source, rows: linesOf(moves), send: moveSender(program, moves) });

/** Moves partners to a group. The group of each partner must be known. */
export async function moveToGroup(
  many: Many,
  program: Program,
  partners: readonly BulkPartner[],
  group: { readonly id: number | null; readonly name: string },
): Promise<BulkResult> {
  const sent = await move(
    many,
    program,
    partners.map((partner) => ({ partner, groupId: group.id })),
  );
  const changed = changedBy(sent, partners);
  const to = group.id === null ? "removed from their group" : `moved to ${nameInText(group.name)}`;
  const unchanged = group.id === null ? "already in no group" : "already in it";
  const undo: Undo = {
    label: `Undo: move ${changed.length === 1 ? "the partner" : `each of ${formatCount(changed.length)}`} back`,
    run: async (again) => {
      const moves = changed.map((partner) => ({
        partner: { ...partner, groupId: group.id },
        groupId: partner.groupId ?? null,
      }));
      const back = await move(again, program, moves);
      return resultOf(back, changed, { done: "moved back", unchanged: "already there" });
    },
  };
  return { ...resultOf(sent, partners, { done: to, unchanged }), undo: changed.length > 0 ? undo : undefined };
}
