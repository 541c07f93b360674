import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { addressWith, partnerAddress, programAddress, settingsAddress } from "../../url.ts";

/** The id of the program in a proposal's link. The service checks the link itself. */
export function programOfProposal(token: string): number | undefined {
  const id = Number.parseInt(/^svcp_([0-9a-z]{1,11})_/.exec(token)?.[1] ?? "", 36);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Reads the proposal in a link. */
export const useProposal = (programId: number, token: string) =>
  useQuery(`proposal ${token}`, async (signal) => {
    const param = { programId: String(programId) };
    return (await take(api.programs[":programId"].proposals.$post({ param, json: { token } }, { init: { signal } })))
      .data;
  });

export type Proposal = NonNullable<ReturnType<typeof useProposal>["data"]>;

/** The id in the path of the proposed call, such as the partner's in `partners/12/adjustments`. */
export const idIn = ({ target }: Pick<Proposal, "target">): number => Number(target.split("/")[1]);

/** The partner or group that a proposed policy is for. */
export function ownerOf({ body }: Pick<Proposal, "body">) {
  const { partnerId, groupId } = body;
  if (typeof partnerId === "number") return { partnerId };
  return typeof groupId === "number" ? { groupId } : undefined;
}

/** The page on which a member makes a change of the proposed kind. */
export function pageOf(programId: number, proposal: Proposal): string {
  const { action } = proposal;
  if (action === "application") return programAddress(programId, "partners/applications");
  if (action === "adjustment") return partnerAddress(programId, idIn(proposal));
  if (action === "group") return programAddress(programId, "partners");
  if (action !== "policy") return programAddress(programId, "commissions");
  const owner = ownerOf(proposal);
  if (owner === undefined) return settingsAddress(programId, "commission");
  return owner.partnerId === undefined
    ? addressWith(programAddress(programId, "partners/groups"), { group: String(owner.groupId) })
    : partnerAddress(programId, owner.partnerId);
}
