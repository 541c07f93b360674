import type { ActiveStatus } from "./program-status.ts";

export const importKinds = ["partners", "balances"] as const;
export type ImportKind = (typeof importKinds)[number];

export const importResults = ["created", "updated", "unchanged", "refused"] as const;
export type ImportResult = (typeof importResults)[number];

/** Why a row is refused. */
export const rowRefusals = [
  "invalid_value",
  "invalid_code",
  "unsupported_column",
  "owner_only",
  "unknown_group",
  "code_taken",
  "links_full",
  "partners_full",
  "differs",
  "unknown_partner",
  "zero_amount",
] as const;
export type RowRefusal = (typeof rowRefusals)[number];

export const rowWarnings = ["same_email"] as const;
export type RowWarning = (typeof rowWarnings)[number];

/** `line` is the row's line in its file, and is given back. */
export type RowOutcome = {
  readonly line: number;
  /** Of what was created or found. A dry run has no new ids. */
  readonly id?: number | undefined;
  readonly warnings?: readonly RowWarning[];
} & (
  | { readonly result: Exclude<ImportResult, "refused"> }
  | { readonly result: "refused"; readonly code: RowRefusal; readonly field?: string }
);

/** Undefined: the column is absent or the cell is empty, so nothing is said about it. */
export interface PartnerImport {
  readonly line: number;
  readonly name: string;
  /** The first is the partner's own; none twice. */
  readonly codes: readonly [string, ...string[]];
  readonly email: string | undefined;
  readonly externalId: string | undefined;
  readonly destinationUrl: string | undefined;
  readonly status: ActiveStatus | undefined;
}

export interface BalanceImport {
  readonly line: number;
  readonly partnerCode: string;
  readonly currency: string;
  readonly amountCents: number;
  readonly reference: string;
}

export const refusedRow = (line: number, code: RowRefusal, field?: string): RowOutcome => ({
  line,
  result: "refused",
  code,
  ...(field !== undefined && { field }),
});

/** An adjustment of an import has a reference of its own kind, so that it meets no other. */
export const importReference = ({ reference, currency }: Pick<BalanceImport, "reference" | "currency">): string =>
  `import:${reference}:${currency}`;

export const openingBalance = (source: string): string => `Opening balance from ${source}`;
