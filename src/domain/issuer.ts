/** The issuer of a program's statements, as printed on them. */
export interface Issuer {
  readonly name: string;
  readonly address: string;
  readonly taxId: string | null;
}

export const issuerLimits = { name: 120, address: 300, taxId: 40 } as const;
