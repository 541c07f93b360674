export interface RequestCounts {
  readonly reads: number;
  readonly writes: number;
  readonly total: number;
  readonly statements: number;
}

/**
 * Counts that only a server reports. `rows` is the number of rows that the database read, and `bytes` is the size of
 * its responses.
 */
export interface AnswerCounts {
  readonly rows: number;
  readonly rowsWritten: number;
  readonly bytes: number;
}

export const noRequests: RequestCounts = { reads: 0, writes: 0, total: 0, statements: 0 };

export const withRequest = (counts: RequestCounts, isWrite: boolean, statements: number): RequestCounts => ({
  reads: counts.reads + (isWrite ? 0 : 1),
  writes: counts.writes + (isWrite ? 1 : 0),
  total: counts.total + 1,
  statements: counts.statements + statements,
});
