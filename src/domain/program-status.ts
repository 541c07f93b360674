export const activeStatuses = ["active", "paused"] as const;
export type ActiveStatus = (typeof activeStatuses)[number];

export const programStatuses = [...activeStatuses, "archived"] as const;
export type ProgramStatus = (typeof programStatuses)[number];

/** The status as shown. The stored status doesn't change when a program is archived. */
export const programStatus = (program: {
  readonly status: ActiveStatus;
  readonly archivedAt: number | null;
}): ProgramStatus => (program.archivedAt === null ? program.status : "archived");
