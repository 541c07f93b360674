import { scrypt } from "node:crypto";
import type { Derivation } from "#domain/password-hash.ts";

/** Returns the key in base64. In Node it runs in a separate thread, in a Worker on the only thread. */
export const deriveKey = ({ password, salt, keyBytes, N, r, p }: Derivation): Promise<string> =>
  new Promise((resolve, reject) => {
    const maxmem = 2 * 128 * N * r;
    scrypt(password, Buffer.from(salt, "base64"), keyBytes, { N, r, p, maxmem }, (error, key) => {
      if (error === null) resolve(key.toString("base64"));
      else reject(error);
    });
  });
