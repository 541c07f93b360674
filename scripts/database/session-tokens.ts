import type { Client } from "@libsql/client/http";
import { hashLinkToken } from "#domain/link-token.ts";

const atOnce = 500;
const isPlain = "length(token) <> 64";

/** Hashes the tokens of sessions that an earlier release stored in plain text. Users stay signed in. */
export async function hashSessionTokens(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.execute(`select token from sessions where ${isPlain} limit ${atOnce}`);
    if (rows.length === 0) return;
    const tokens = rows.map(({ token }) => String(token));
    await client.batch(
      tokens.map((token) => ({
        sql: `update sessions set token = ? where token = ? and ${isPlain}`,
        args: [hashLinkToken(token), token],
      })),
      "write",
    );
  }
}
