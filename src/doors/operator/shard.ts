import type { Shard } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { home, maxShard } from "#domain/shard.ts";
import { shardsOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";

/** Default: home. */
export const shardQuery = { shard: fields.integerText("shard", 0, maxShard).optional() };

export function requireShard(c: Ctx, shard: Shard = home): Result<Shard> {
  const numbers = [home, ...shardsOf(c.env).keys()];
  if (numbers.includes(shard)) return ok(shard);
  const message = `shard must be one of the service: ${numbers.join(", ")}`;
  return refused({ code: "invalid_input", errors: [{ path: ["shard"], message }] });
}
