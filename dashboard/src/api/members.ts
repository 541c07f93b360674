import { useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
import { useQuery } from "./use-query.ts";

export const membersKey = (workspaceId: string) => `members of ${workspaceId}`;

/** The program's members, whom every member may list. */
export function useMembers() {
  const { workspace } = useProgram();
  const param = { workspaceId: workspace.id };
  return useQuery(
    membersKey(workspace.id),
    async (signal) => (await take(api.workspaces[":workspaceId"].members.$get({ param }, { init: { signal } }))).data,
  );
}
export type Member = NonNullable<ReturnType<typeof useMembers>["data"]>[number];

/** True if the member may finalize payouts and mark them as paid. */
export const mayPay = ({ role, status }: Member): boolean => role !== "viewer" && status === "active";

export interface AboutMember {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Query keys to read again after a change of a member: "workspaces" has the user's own role, which may change too. */
export const useMemberRefreshes = () => [membersKey(useProgram().workspace.id), "workspaces"];
