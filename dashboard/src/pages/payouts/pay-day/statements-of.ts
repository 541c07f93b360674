import type { Line, PayoutWithLines } from "../queries.ts";

export type PaidLine = Line & { readonly statementNumber: number };

const isPaid = (line: Line): line is PaidLine => line.statementNumber !== null && line.failedAt === null;

/** Lines of a paid payout whose payment didn't fail, by name. */
export const statementsOf = ({ lines }: Pick<PayoutWithLines, "lines">): readonly PaidLine[] =>
  lines.filter(isPaid).toSorted((one, other) => one.name.localeCompare(other.name));
