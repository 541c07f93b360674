import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import { Count } from "../../../components/numbers.tsx";
import { DayOf } from "../../../components/time.tsx";
import type { Commission } from "../queries.ts";

/** Track records of the partners of these commissions. Undefined while they load. */
export function useTrackRecords(commissions: readonly Commission[]): ReadonlyMap<number, TrackRecord> | undefined {
  const ids = new Set(commissions.flatMap(({ partnerId }) => (partnerId === null ? [] : [partnerId])));
  const query = { partnerIds: [...ids].sort((a, b) => a - b).join(",") };
  const { data } = useProgramQuery("commissions track-records", query, async (call, init) =>
    query.partnerIds === "" ? [] : (await take(api.programs[":programId"].risk["track-records"].$get(call, init))).data,
  );
  return data && new Map(data.map((record) => [record.partnerId, record]));
}

export interface TrackRecord {
  readonly commissions: number;
  readonly held: number;
  readonly rejected: number;
  readonly since: string;
}

/** A partner's track record; the sentence continues after the partner's name. */
export const TrackRecordText = ({ record }: { readonly record: TrackRecord }): JSX.Element => {
  const { commissions, held, rejected, since } = record;
  if (commissions <= 1) return <>: this is their first commission.</>;
  return (
    <>
      : of their last <Count of={commissions} /> commissions, since <DayOf at={since} />, <Count of={held} />{" "}
      {held === 1 ? "was" : "were"} held for review and {rejected === 0 ? "none" : <Count of={rejected} />} rejected.
    </>
  );
};
