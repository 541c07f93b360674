import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { Json } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";

export async function mcpClient(url: string, { key }: Pick<World, "key">): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return client;
}

export interface Effect {
  readonly text: string;
  readonly count: number | null;
  readonly amount_cents: number | null;
  readonly previous_cents: number | null;
  readonly currency: string | null;
}

export interface Proposed {
  readonly effects: readonly Effect[];
  readonly url: string;
  readonly token: string;
  readonly untrusted: readonly string[];
}

/** Calls the tool `propose`, which must succeed. */
export async function propose(client: Client, given: Readonly<Record<string, Json>>): Promise<Proposed> {
  const called = await client.callTool({ name: "propose", arguments: given });
  expect(called.isError, JSON.stringify(called.structuredContent)).toBeUndefined();
  const { effects, url } = called.structuredContent as unknown as Pick<Proposed, "effects" | "url">;
  const token = new URLSearchParams(url.slice(url.indexOf("?"))).get("token") ?? "";
  return { effects, url, token, untrusted: called._meta?.untrusted as string[] };
}
