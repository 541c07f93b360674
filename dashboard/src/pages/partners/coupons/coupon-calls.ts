import type { PreparedRow, RowResult, Sent } from "../../../../../importer/index.ts";
import { importSender } from "../../../api/bulk-sender.ts";
import { api, take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import type { Many } from "../../../api/use-many.ts";
import { type Program, paramOf } from "../../../session.tsx";

/** Maximum number of partners that a search returns. */
const maxFound = "20";

/** Creates coupons by the import, which creates none of them twice. */
export function couponCalls(many: Pick<Many, "run">, program: Program, source: string) {
  const of = (rows: readonly PreparedRow[]) =>
    ({ kind: "coupons", source, rows, send: importSender(program) }) as const;
  return {
    async check(rows: readonly PreparedRow[], update = false): Promise<readonly RowResult[]> {
      const { ended, why, results } = await many.run({ ...of(rows), update }, true);
      if (ended !== "done") throw new Failure(ended === "unreachable" ? 503 : 409, { message: why || "Stopped." });
      return results;
    },
    async codesOfName(name: string): Promise<readonly string[]> {
      const query = { search: name, limit: maxFound };
      const { data } = await take(api.programs[":programId"].partners.$get({ param: paramOf(program), query }));
      const wanted = name.toLowerCase();
      return data.filter((partner) => partner.name.toLowerCase() === wanted).map(({ code }) => code);
    },
    create: (rows: readonly PreparedRow[]): Promise<Sent> => many.run({ ...of(rows), ifRepeated: "created" }),
    /** Pauses or resumes coupons. A creation is undone by a pause, because a code can't be freed. */
    setStatus: (rows: readonly PreparedRow[], status: "active" | "paused"): Promise<Sent> =>
      many.run({ ...of(rows.map((row) => ({ ...row, status }))), update: true, ifRepeated: "updated" }),
  };
}
