import { expect, it } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { isolatedDatabase } from "./isolated-database.ts";

const batons: unknown[] = [];
const own = isolatedDatabase({
  onRequest: (_, body) => void batons.push((JSON.parse(body.toString()) as { baton: unknown }).baton),
});

it("clients of one database reuse each other's streams, and report how many rows they read", async () => {
  const found = { columns: ["n", "text"], rows: [{ n: 1, text: "a" }] };
  for (let i = 0; i < 2; i += 1) {
    const client = openDatabaseClient(own.proxy.url);
    expect(await client.execute({ sql: "select ? as n, 'a' as text", args: [1] })).toEqual(found);
  }
  expect(batons).toEqual([null, expect.any(String)]);
});
