import { expect, it, onTestFinished } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { sharedService } from "./shared-service.ts";

it("clients of a database reuse each other's streams, and name what they read", async () => {
  const batons: unknown[] = [];
  const proxy = await startDatabaseProxy(sharedService.databaseUrl, (_, body) => {
    batons.push((JSON.parse(body.toString()) as { baton: unknown }).baton);
  });
  onTestFinished(() => proxy.close());
  const found = { columns: ["n", "text"], rows: [{ n: 1, text: "a" }] };
  for (let i = 0; i < 2; i += 1) {
    const client = openDatabaseClient(proxy.url);
    expect(await client.execute({ sql: "select ? as n, 'a' as text", args: [1] })).toEqual(found);
  }
  expect(batons).toEqual([null, expect.any(String)]);
});
