import type { AssetServer } from "#env.ts";

export async function newestSdk(assets: AssetServer | undefined, origin: string): Promise<string> {
  const newest = new URL("/sdk.tgz", origin);
  const answer = await assets?.fetch(newest, { method: "HEAD", redirect: "manual" });
  return new URL(answer?.headers.get("location") ?? newest, origin).href;
}
