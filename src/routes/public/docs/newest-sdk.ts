import type { AssetServer } from "../../../env.ts";

/** Versioned URL of the newest SDK, which never changes its content. */
export async function newestSdk(assets: AssetServer | undefined, origin: string): Promise<string> {
  const newest = new URL("/sdk.tgz", origin);
  const answer = await assets?.fetch(newest, { method: "HEAD", redirect: "manual" });
  return new URL(answer?.headers.get("location") ?? newest, origin).href;
}
