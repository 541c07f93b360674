import type { Call } from "../../operations/operation.ts";

interface InProgram {
  readonly var: { readonly call: Call; readonly userId: string; readonly program: { readonly id: number } };
}

/** What every change of a program says: who makes it, and of which. */
export const byMember = ({ var: { call, userId, program } }: InProgram) => ({
  ...call,
  actorId: userId,
  programId: program.id,
});
