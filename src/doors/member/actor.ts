import type { Via } from "#domain/proposal.ts";
import type { Call } from "#operations/operation.ts";

interface ByUser {
  readonly var: { readonly call: Call; readonly userId: string };
}
interface InProgram extends ByUser {
  readonly var: ByUser["var"] & { readonly program: { readonly id: number }; readonly via?: Via };
}

export const actorOf = ({ var: { call, userId } }: ByUser) => ({ ...call, actorId: userId });

export const actingMember = ({ var: { call, userId, program, via } }: InProgram) => ({
  ...call,
  actorId: userId,
  programId: program.id,
  ...(via !== undefined && { via }),
});
