import type { Database } from "./migrate.ts";

/** Returns a message, or undefined. It repeats neither, since either may hold a secret. */
export function databaseFault({ url, authToken = "" }: Database): string | undefined {
  // Child processes, Cloudflare's dashboard and error messages show the address.
  if (!/^[a-z]+:\/\/[\w.:[\]/~-]+$/i.test(url)) {
    return "DATABASE_URL must be an address alone, such as libsql://name.turso.io, without a user name, a query or a fragment: it is not kept secret. Put the token into DATABASE_AUTH_TOKEN.";
  }
  // An HTTP client's error repeats a header that it can't send.
  if (!/^[\x21-\x7e]*$/.test(authToken)) return "DATABASE_AUTH_TOKEN must be ASCII characters without white space.";
  return undefined;
}
