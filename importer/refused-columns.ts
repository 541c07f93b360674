/** Columns of a file of refused rows, which no kind of import has. */
export const refusedColumns = ["refused_line", "refused_reason", "refused_field"] as const;
