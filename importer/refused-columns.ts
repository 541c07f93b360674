/** Columns that a file of refused rows has in addition. No kind of import has a column with these names. */
export const refusedColumns = ["refused_line", "refused_reason", "refused_field"] as const;
