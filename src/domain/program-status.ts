export const programStatuses = ["active", "paused", "archived"] as const;
export type ProgramStatus = (typeof programStatuses)[number];

/** A stored program keeps the status it had before it was archived. */
export const programStatus = (program: {
  readonly status: "active" | "paused";
  /** Undefined: told by a Ledger of the release before. */
  readonly archivedAt?: number | null;
}): ProgramStatus => (program.archivedAt == null ? program.status : "archived");
