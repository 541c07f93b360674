/** The cost of scrypt (RFC 7914). `N` is a power of two. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export interface Derivation extends ScryptCost {
  readonly password: string;
  /** Base64. */
  readonly salt: string;
  readonly keyBytes: number;
}

export interface PasswordHash extends ScryptCost {
  /** Base64. */
  readonly salt: string;
  readonly key: string;
}

/**
 * Uses 32 MiB for each hash. https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt
 */
export const scryptCost: ScryptCost = { N: 2 ** 14, r: 16, p: 1 };
export const saltBytes = 16;
const keyBytes = 64;

/** Clients send the same password in different Unicode forms. */
const normalized = (password: string): string => password.normalize("NFKC");

export const newDerivation = (password: string, salt: string): Derivation => ({
  ...scryptCost,
  password: normalized(password),
  salt,
  keyBytes,
});

export const derivationOf = ({ N, r, p, salt, key }: PasswordHash, password: string): Derivation => ({
  N,
  r,
  p,
  password: normalized(password),
  salt,
  keyBytes: Buffer.from(key, "base64").length,
});

/** The PHC string format: https://github.com/P-H-C/phc-string-format */
export const serializeHash = ({ N, r, p, salt, key }: PasswordHash): string =>
  `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${salt}$${key}`;

export function parseHash(text: string): PasswordHash | undefined {
  const [, ln, r, p, salt, key] =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/=]+)\$([\w+/=]+)$/.exec(text) ?? [];
  return salt === undefined || key === undefined
    ? undefined
    : { N: 2 ** Number(ln), r: Number(r), p: Number(p), salt, key };
}
