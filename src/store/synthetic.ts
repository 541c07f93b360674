import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether a row's partner was made for verification. Needs `programId`; without a partner it is null. */
export const isSynthetic = (partnerId: SQLWrapper): SQL => sql`${partnerId} in (
  select p.id from partners p where p.program_id = ${sql.placeholder("programId")} and p.is_synthetic = 1)`;
