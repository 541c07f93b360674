export const activeStatuses = ["active", "paused"] as const;
export type ActiveStatus = (typeof activeStatuses)[number];

export const programStatuses = [...activeStatuses, "archived"] as const;
export type ProgramStatus = (typeof programStatuses)[number];

/** A stored program keeps the status that it had before it was archived. */
export const programStatus = (program: {
  readonly status: ActiveStatus;
  readonly archivedAt: number | null;
}): ProgramStatus => (program.archivedAt === null ? program.status : "archived");
