import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { root } from "./root.ts";

const schema = z.object({
  name: z.string().regex(/^[\w-]+$/),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  assets: z.object({ run_worker_first: z.array(z.string()) }),
  vars: z.record(z.string(), z.string()),
  ratelimits: z.array(z.object({ name: z.string(), simple: z.object({ limit: z.number(), period: z.number() }) })),
});

export type WranglerConfig = z.infer<typeof schema>;

export async function readWranglerConfig(): Promise<WranglerConfig> {
  return schema.parse(parse(await readFile(join(root, "wrangler.toml"), "utf8")));
}
